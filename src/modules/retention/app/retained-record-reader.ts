import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { RetainedRecord } from '../domain/decide.js';
import type { HoldInForce } from '../domain/hold-coverage.js';

/** A record as it is stored, with the holds that keep it. */
export interface StoredRecord {
  readonly table: string;
  readonly record: RetainedRecord;
  /** Working data of something unfinished is no record yet: no policy speaks of it. */
  readonly isRecord: boolean;
  readonly holds: readonly HoldInForce[];
}

/** Port: single records of any category. */
export interface RetainedRecordReader {
  /** @returns undefined where the organization has no such record */
  find(tx: TenantTransaction, category: RetentionCategory, recordId: string): Promise<StoredRecord | undefined>;
}
