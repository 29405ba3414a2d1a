import type { ChangeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Approvals } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import type { RetentionDraftStore } from './retention-draft-store.js';
import type { RetentionVersionStore } from './retention-version-store.js';
import type { RooftopPlaces } from './rooftop-places.js';

/** Who changes a policy. A change is never anonymous. */
export type PolicyOrigin = ChangeOrigin & { readonly actor: string };

/** What every use case of retention policies works with. */
export interface RetentionPolicyParts {
  readonly unitOfWork: UnitOfWork;
  readonly drafts: RetentionDraftStore;
  readonly versions: RetentionVersionStore;
  readonly places: RooftopPlaces;
  readonly approvals: Approvals;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

/** Records a change of a policy in the transaction that makes it. Ids and hashes only: reasons stay in the history. */
export function recordRetentionChange(
  { audit, clock }: Pick<RetentionPolicyParts, 'audit' | 'clock'>,
  tx: TenantTransaction,
  origin: PolicyOrigin,
  change: {
    readonly operation: string;
    readonly resourceIds: readonly string[];
    readonly reason?: string;
    readonly hashes: ChangeHashes;
  },
): Promise<void> {
  return audit.recordInTransaction(tx, {
    ...origin,
    occurredAt: clock.now(),
    organizationId: tx.organizationId,
    operation: change.operation,
    profile: null,
    rooftopIds: [],
    resourceIds: change.resourceIds,
    decision: 'allow',
    reason: change.reason ?? null,
    policyVersion: null,
    outcome: 'succeeded',
    failureCode: null,
    purpose: null,
    ...change.hashes,
  });
}

/** @throws Failure `resource.not_found` */
export function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}

/** A draft that became a version, or was written against one that is no longer active. */
export const outdated = (auditReason: 'draft_activated' | 'draft_outdated'): Failure =>
  new Failure('input.precondition', { reason: 'precondition_failed', auditReason });
