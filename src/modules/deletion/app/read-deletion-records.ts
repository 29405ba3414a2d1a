import { Failure } from '../../../kernel/failure/failure.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { ProveRecord, RecordProof } from '../../audit/index.js';
import type { DeletionRecordStore, RecordPage } from './deletion-record-store.js';
import type { DeletionRecord } from './deletion-records.js';
import { present } from './run-parts.js';

/** A deletion record with what proves it to somebody who has the log's public key; no proof before a checkpoint covers it. */
export interface ProvenDeletion {
  readonly record: DeletionRecord;
  readonly proof: RecordProof | null;
}

/** Use cases: what was deleted, for people and for the offline check. */
export class ReadDeletionRecords {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: DeletionRecordStore,
    private readonly proving: Pick<ProveRecord, 'run'>,
  ) {}

  /** Newest first. */
  list(organizationId: string, page: RecordPage): Promise<readonly DeletionRecord[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /** @throws Failure `resource.not_found` */
  async get(organizationId: string, recordId: string): Promise<ProvenDeletion> {
    const record = present(await this.unitOfWork.withTenant(organizationId, (tx) => this.store.find(tx, recordId)));
    const proof = await this.proving.run(organizationId, record.eventId).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'state.conflict') return null;
      throw error;
    });
    return { record, proof };
  }
}
