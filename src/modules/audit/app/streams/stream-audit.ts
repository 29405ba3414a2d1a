import { type ChangeHashes, changeHashes } from '../../../../kernel/change-hashes.js';
import { newRequestId, traceIdOfRequest } from '../../../../kernel/ids.js';
import type { AuditRecord } from '../../../../kernel/ports/audit-recorder.js';
import type { TenantTransaction, UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../transactional-audit.js';
import type { AuditStream } from './audit-stream.js';

/** Records what was done with streams, and that one was given up. */
export class StreamAudit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  changed(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    operation: string,
    resourceIds: readonly string[],
    hashes: ChangeHashes,
  ): Promise<void> {
    return this.record(tx, origin, { operation, resourceIds, ...hashes });
  }

  stopped(organizationId: string, stream: AuditStream, problem: string): Promise<void> {
    const eventId = newRequestId();
    const origin: ChangeOrigin = {
      eventId,
      traceId: traceIdOfRequest(eventId),
      surface: 'worker',
      actorKind: 'system',
      actor: 'audit-streams',
      client: null,
    };
    return this.unitOfWork.withTenant(organizationId, (tx) =>
      this.record(tx, origin, {
        operation: 'audit.streams.stop',
        resourceIds: [stream.streamId],
        reason: problem,
        ...changeHashes(viewOf(stream), { ...viewOf(stream), state: 'stopped' }),
      }),
    );
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    said: Pick<AuditRecord, 'operation' | 'resourceIds'> & Partial<AuditRecord>,
  ): Promise<void> {
    return this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      profile: null,
      rooftopIds: [],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...said,
    });
  }
}

/** What staff decide about a stream: the part that hashes of before and after are made of. */
export const viewOf = ({ streamId, name, url, format, state }: AuditStream): object => ({
  streamId,
  name,
  url,
  format,
  state,
});
