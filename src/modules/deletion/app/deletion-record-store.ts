import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { DeletionRecord } from './deletion-records.js';

export interface RecordPage {
  /** The last id of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** Port: keeps deletion records. Rows are only ever added. */
export interface DeletionRecordStore {
  add(tx: TenantTransaction, record: Omit<DeletionRecord, 'recordedAt'>): Promise<DeletionRecord>;
  find(tx: TenantTransaction, recordId: string): Promise<DeletionRecord | undefined>;
  /** Newest first. */
  list(tx: TenantTransaction, page: RecordPage): Promise<readonly DeletionRecord[]>;
}
