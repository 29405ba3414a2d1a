import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import type { Approvals } from '../../../kernel/ports/approvals.js';
import type { ConsistentReads } from '../../../kernel/ports/consistent-reads.js';
import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { RestoreJournal } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../kernel/precondition.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import type { PrivacyRequest, RequestState } from '../domain/privacy-request.js';
import type { PreviewErasure } from './preview-erasure.js';
import type { PrivacyRequestStore } from './privacy-request-store.js';
import type { SubjectRegister } from './subject-register.js';

/** What the use cases of this module are made of. */
export interface PrivacyParts {
  readonly unitOfWork: UnitOfWork;
  readonly reads: ConsistentReads;
  readonly store: PrivacyRequestStore;
  readonly register: SubjectRegister;
  readonly preview: PreviewErasure;
  readonly approvals: Approvals;
  readonly journal: RestoreJournal;
  readonly queue: JobQueue;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

/** Who changes a request. Staff are named. */
export type PrivacyOrigin = ChangeOrigin & { readonly actor: string };

/** The worker, in the name of nobody. */
export function workerOrigin(): PrivacyOrigin {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'worker', actorKind: 'system', actor: 'privacy-requests', client: null };
}

/** @throws Failure `resource.not_found` */
export function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}

/** A request that is to be changed, locked. @throws Failure `resource.not_found`, `input.precondition`, also in another state */
export async function requestIn(
  { store }: Pick<PrivacyParts, 'store'>,
  tx: TenantTransaction,
  requestId: string,
  states: readonly RequestState[],
  expected: ExpectedVersions,
): Promise<PrivacyRequest> {
  const versions = requireVersions(expected);
  const request = present(await store.find(tx, requestId, 'change'));
  requireVersion(versions, request.version);
  if (!states.includes(request.state))
    throw new Failure('input.precondition', { reason: 'precondition_failed', auditReason: `request_${request.state}` });
  return request;
}

/** Of a request the trail does not even hash whom it is about; and how far it is changes all the time. */
const UNSPOKEN: ReadonlySet<string> = new Set<keyof PrivacyRequest>(['subjectHash', 'progress']);

const auditedView = (request: PrivacyRequest): object =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !UNSPOKEN.has(name)));

/** Audits one change of a request. Never whom it is about. */
export function recordChange(
  { audit, clock }: Pick<PrivacyParts, 'audit' | 'clock'>,
  tx: TenantTransaction,
  origin: ChangeOrigin,
  change: {
    readonly operation: string;
    readonly before: PrivacyRequest | null;
    readonly after: PrivacyRequest;
    readonly reason?: string;
    readonly resourceIds?: readonly string[];
  },
): Promise<void> {
  const { operation, before, after, reason = null, resourceIds = [] } = change;
  return audit.recordInTransaction(tx, {
    ...origin,
    operation,
    occurredAt: clock.now(),
    organizationId: tx.organizationId,
    profile: null,
    rooftopIds: [],
    resourceIds: [after.requestId, ...resourceIds],
    decision: 'allow',
    reason,
    policyVersion: null,
    outcome: 'succeeded',
    failureCode: null,
    purpose: null,
    ...changeHashes(before === null ? null : auditedView(before), auditedView(after)),
  });
}
