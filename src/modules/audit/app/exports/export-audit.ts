import { changeHashes } from '../../../../kernel/change-hashes.js';
import { newRequestId, traceIdOfRequest } from '../../../../kernel/ids.js';
import type { AuditRecord } from '../../../../kernel/ports/audit-recorder.js';
import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../transactional-audit.js';
import type { AuditExport, ExportFailure } from './audit-export.js';

/** An export is itself in the trail: that it was asked for, and what came of it. */
export class ExportAudit {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  requested(tx: TenantTransaction, found: AuditExport, origin: ChangeOrigin): Promise<void> {
    const { exportId, format, filter } = found;
    return this.record(tx, origin, {
      operation: 'audit.exports.create',
      resourceIds: [exportId],
      ...changeHashes(null, { exportId, format, filter }),
    });
  }

  /** The hash of the manifest is part of the record. */
  finished(tx: TenantTransaction, found: AuditExport, manifest: string): Promise<void> {
    return this.record(tx, byWorker(), {
      operation: 'audit.exports.finish',
      resourceIds: [found.exportId],
      ...changeHashes(null, { manifest }),
    });
  }

  failed(tx: TenantTransaction, found: AuditExport, failure: ExportFailure): Promise<void> {
    const end = { reason: failure, outcome: 'failed', failureCode: 'resource.not_found' } as const;
    return this.record(tx, byWorker(), {
      operation: 'audit.exports.finish',
      resourceIds: [found.exportId],
      ...end,
    });
  }

  /** In the transaction of the redaction. */
  superseded(tx: TenantTransaction, exportId: string, redactionId: string, origin: ChangeOrigin): Promise<void> {
    return this.record(tx, origin, {
      operation: 'audit.exports.supersede',
      resourceIds: [exportId, redactionId],
      reason: 'values_redacted',
      ...changeHashes({ exportId }, { exportId, supersededBy: redactionId }),
    });
  }

  /** The pieces of a superseded export are gone. */
  removed(tx: TenantTransaction, exportId: string, pieces: number): Promise<void> {
    return this.record(tx, byWorker(), {
      operation: 'audit.exports.remove',
      resourceIds: [exportId],
      reason: 'superseded',
      ...changeHashes({ exportId, pieces }, null),
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

function byWorker(): ChangeOrigin {
  const eventId = newRequestId();
  return {
    eventId,
    traceId: traceIdOfRequest(eventId),
    surface: 'worker',
    actorKind: 'system',
    actor: 'audit-exports',
    client: null,
  };
}
