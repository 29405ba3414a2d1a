import { traceIdOfRequest } from '../../../kernel/ids.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import {
  type ChangeOrigin,
  POLICY_GROUND,
  REDACTED_OPERATION,
  type RedactionGround,
  type SupersededExports,
  type TransactionalAudit,
} from '../../audit/index.js';

/** A redaction that a worker has just carried out in the transaction. */
export interface WorkerRedaction {
  /** Id of the audit record. */
  readonly redactionId: string;
  /** SHA-256 over the records and the fields that went, hex. */
  readonly contentHash: string;
  /** Which worker. */
  readonly actor: 'privacy-requests' | 'retention';
  readonly ground: RedactionGround | typeof POLICY_GROUND;
  /** What it was carried out for: the request, or the run. */
  readonly resourceIds: readonly string[];
}

/** Says in the log what a worker redacted, and which exports ended with it; without it the transaction cannot commit. */
export class RecordRedaction {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly exports: Pick<SupersededExports, 'record'>,
    private readonly clock: Clock,
  ) {}

  async run(tx: TenantTransaction, redaction: WorkerRedaction): Promise<void> {
    const { redactionId, contentHash, actor, ground, resourceIds } = redaction;
    const traceId = traceIdOfRequest(redactionId);
    const origin: ChangeOrigin = {
      ...{ eventId: redactionId, traceId, surface: 'worker', actorKind: 'system', actor, client: null },
    };
    await this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      operation: REDACTED_OPERATION,
      profile: null,
      rooftopIds: [],
      resourceIds,
      decision: 'allow',
      reason: ground,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      afterHash: contentHash,
    });
    await this.exports.record(tx, redactionId, origin);
  }
}
