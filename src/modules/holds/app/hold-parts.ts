import type { ChangeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import type { HoldStore } from './hold-store.js';

/** Who changes a hold. A change is never anonymous. */
export type HoldOrigin = ChangeOrigin & { readonly actor: string };

/** What every use case of holds works with. */
export interface HoldParts {
  readonly unitOfWork: UnitOfWork;
  readonly holds: HoldStore;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

/** A change of a hold or a notice, for its audit record: ids and hashes only, the words stay with the hold. */
export interface HoldChange {
  readonly operation: string;
  readonly resourceIds: readonly string[];
  readonly rooftopIds?: readonly string[] | null;
  readonly reason?: string;
  readonly hashes?: ChangeHashes;
}

/** Records a change in the transaction that makes it. */
export function recordHoldChange(
  { audit, clock }: Pick<HoldParts, 'audit' | 'clock'>,
  tx: TenantTransaction,
  origin: ChangeOrigin,
  { operation, resourceIds, rooftopIds, reason, hashes }: HoldChange,
): Promise<void> {
  return audit.recordInTransaction(tx, {
    ...origin,
    occurredAt: clock.now(),
    organizationId: tx.organizationId,
    operation,
    profile: null,
    rooftopIds: rooftopIds ?? [],
    resourceIds,
    decision: 'allow',
    reason: reason ?? null,
    policyVersion: null,
    outcome: 'succeeded',
    failureCode: null,
    purpose: null,
    ...hashes,
  });
}

/** @throws Failure `resource.not_found` */
export function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}
