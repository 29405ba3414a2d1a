import { changeHashes } from '../../../kernel/change-hashes.js';
import { newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';

/** What is recorded of a step of a run. Ids, words and hashes; what it is about stays in the run. */
export interface RunStep {
  readonly operation: string;
  readonly resourceIds: readonly string[];
  readonly reason?: string;
  readonly policyVersion?: string;
  readonly before?: object | null;
  readonly after?: object | null;
}

/** Records the steps of runs in the transaction that takes them. */
export class RunAudit {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  record(tx: TenantTransaction, origin: ChangeOrigin, step: RunStep): Promise<void> {
    const { operation, resourceIds, reason, policyVersion, before = null, after = null } = step;
    return this.audit.recordInTransaction(tx, {
      ...origin,
      ...changeHashes(before, after),
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      operation,
      profile: null,
      rooftopIds: [],
      resourceIds,
      decision: 'allow',
      reason: reason ?? null,
      policyVersion: policyVersion ?? null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
    });
  }
}

/** On whose behalf a worker acts. */
export function byWorker(): ChangeOrigin {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'worker', actorKind: 'system', actor: 'retention', client: null };
}
