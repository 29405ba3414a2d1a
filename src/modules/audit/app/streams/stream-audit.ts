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

  /** @param stop what gives the stream up, in the transaction of the record; false where it did not, and there is no record */
  stopped(
    organizationId: string,
    stream: AuditStream,
    problem: string,
    stop: (tx: TenantTransaction) => Promise<boolean>,
  ): Promise<void> {
    const eventId = newRequestId();
    const origin: ChangeOrigin = {
      eventId,
      traceId: traceIdOfRequest(eventId),
      surface: 'worker',
      actorKind: 'system',
      actor: 'audit-streams',
      client: null,
    };
    const after: AuditStream = { ...stream, state: 'stopped', version: stream.version + 1 };
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      if (!(await stop(tx))) return;
      const said = { operation: 'audit.streams.stop', resourceIds: [stream.streamId], reason: problem };
      await this.record(tx, origin, { ...said, ...changeHashes(viewOf(stream), viewOf(after)) });
    });
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

/** What staff decide about a stream: the part that hashes of before and after are made of. The version stands for its secret. */
export const viewOf = ({ streamId, version, name, url, format, state }: AuditStream): object => ({
  streamId,
  version,
  name,
  url,
  format,
  state,
});
