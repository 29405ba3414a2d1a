import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import { newDeletionRecordId } from '../../../kernel/ids.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import { DELETION_RECORD_FORMAT } from '../../audit/index.js';
import { residualCopies, type ResidualDays } from '../domain/residual-copies.js';
import type { DeletionRecordStore } from './deletion-record-store.js';
import type { DeletionRecord, DeletionRecordContent, DeletionRecords } from './deletion-records.js';

/** Writes deletion records: the content as it will always be, and its hash into the trail, in one transaction. */
export class WriteDeletionRecord implements DeletionRecords {
  constructor(
    private readonly store: DeletionRecordStore,
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
    private readonly stated: { readonly version: string; readonly residual: ResidualDays },
  ) {}

  async write(
    tx: TenantTransaction,
    { kind, sourceId, content }: DeletionRecordContent,
    operation: string,
    origin: ChangeOrigin,
  ): Promise<DeletionRecord> {
    const recordId = newDeletionRecordId();
    const occurredAt = this.clock.now();
    const { organizationId } = tx;
    const canonical = canonicalJson({
      ...content,
      format: DELETION_RECORD_FORMAT,
      record_id: recordId,
      organization_id: organizationId,
      kind,
      source_id: sourceId,
      event_id: origin.eventId,
      software: { name: 'forecourt', version: this.stated.version },
      residual_copies: residualCopies(occurredAt, this.stated.residual),
    });
    const sha256 = hash('sha256', canonical, 'hex');
    await this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt,
      organizationId,
      operation,
      profile: null,
      rooftopIds: [],
      resourceIds: [sourceId, recordId],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      beforeHash: null,
      afterHash: sha256,
    });
    return this.store.add(tx, { recordId, kind, sourceId, content: canonical, sha256, eventId: origin.eventId });
  }
}
