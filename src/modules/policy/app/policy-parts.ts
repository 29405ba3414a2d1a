import type { ChangeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Approvals } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import type { DealerDirectory, DealerPolicyDocument, PolicyVersion, PolicyVersions } from '../../tenancy/index.js';
import { BUILT_IN_POLICY, checkDealerPolicy, rooftopIdsOf } from '../../tenancy/index.js';
import type { PolicyDraftStore } from './policy-draft-store.js';

/** Who changes a policy. A change is never anonymous. */
export type PolicyOrigin = ChangeOrigin & { readonly actor: string };

/** What every use case of policies works with. */
export interface PolicyParts {
  readonly unitOfWork: UnitOfWork;
  readonly drafts: PolicyDraftStore;
  readonly versions: PolicyVersions;
  readonly approvals: Approvals;
  readonly directory: DealerDirectory;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

/** What is in force, as far as it was ever published. */
export interface CurrentPolicy {
  /** 0 for the built-in policy. */
  readonly number: number;
  readonly document: DealerPolicyDocument;
  readonly version: PolicyVersion | undefined;
}

export async function currentPolicy(versions: PolicyVersions, tx: TenantTransaction): Promise<CurrentPolicy> {
  const version = await versions.current(tx);
  return { number: version?.version ?? 0, document: version?.document ?? BUILT_IN_POLICY, version };
}

/** Rooftops of an organization. Asked before a transaction begins: inside one it would wait for a second connection. */
export async function rooftopsOf(
  { directory }: Pick<PolicyParts, 'directory'>,
  organizationId: string,
): Promise<readonly string[]> {
  const group = await directory.find(organizationId);
  return group === undefined ? [] : rooftopIdsOf(group);
}

/**
 * The document of a request, checked whole.
 * @throws Failure `input.invalid` with every violation, by pointer into the member `document` of the request.
 */
export function checkedDocument(document: unknown, rooftopIds: readonly string[]): DealerPolicyDocument {
  const checked = checkDealerPolicy(document, rooftopIds);
  if (!('violations' in checked)) return checked.document;
  const violations = checked.violations.map((v) => ({ ...v, pointer: `/document${v.pointer}` }));
  throw new Failure('input.invalid', { violations });
}

/** Records a change of a policy in the transaction that makes it. Ids and hashes only: reasons stay in the history. */
export function recordPolicyChange(
  { audit, clock }: Pick<PolicyParts, 'audit' | 'clock'>,
  tx: TenantTransaction,
  origin: PolicyOrigin,
  change: {
    readonly operation: string;
    readonly resourceIds: readonly string[];
    readonly rooftopIds?: readonly string[];
    readonly reason?: string;
    readonly hashes?: ChangeHashes;
  },
): Promise<void> {
  return audit.recordInTransaction(tx, {
    ...origin,
    occurredAt: clock.now(),
    organizationId: tx.organizationId,
    operation: change.operation,
    profile: null,
    rooftopIds: change.rooftopIds ?? [],
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

/** @throws Failure `input.precondition` when If-Match names no version, or none of those it names is the one that there is. */
export function requireNamed(expected: readonly number[] | undefined, actual: number): void {
  if (expected === undefined) throw new Failure('input.precondition', { reason: 'precondition_required' });
  if (!expected.includes(actual)) throw new Failure('input.precondition', { reason: 'precondition_failed' });
}
