import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ChangeOrigin } from '../../audit/index.js';

/** What was deleted and why, as the record says it in canonical JSON. Plain data: ids and counts, nothing of what was deleted. */
export interface DeletionRecordContent {
  readonly kind: 'run' | 'erasure';
  /** The run, or the privacy request. */
  readonly sourceId: string;
  readonly content: object;
}

/** A deletion record as kept. */
export interface DeletionRecord {
  readonly recordId: string;
  readonly kind: 'run' | 'erasure';
  readonly sourceId: string;
  /** Canonical JSON (RFC 8785), byte for byte what was hashed. */
  readonly content: string;
  /** SHA-256 of it, hex: what the audit record has as its hash of what came after. */
  readonly sha256: string;
  /** Its audit record. */
  readonly eventId: string;
  /** Milliseconds. */
  readonly recordedAt: number;
}

/** Port: writes deletion records, each with its audit record in the same transaction; neither changes any more. */
export interface DeletionRecords {
  /**
   * Writes it and records it in the trail under the event of `origin`: an action has one audit record, and this is it. The content
   * gets `format`, `record_id`, `organization_id`, `software` and `residual_copies` on top.
   * @param operation of the audit record, for example `retention.runs.finish`
   */
  write(
    tx: TenantTransaction,
    record: DeletionRecordContent,
    operation: string,
    origin: ChangeOrigin,
  ): Promise<DeletionRecord>;
}

export const DELETION_RECORDS = Symbol('DeletionRecords');
