import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { KnownSegment } from '../domain/compare-marks.js';
import type { SegmentHead } from '../domain/journal-line.js';

export interface EntryPlace {
  readonly segmentId: string;
  readonly seq: number;
}

/** Port: how far the database and the journal know of each other. */
export interface JournalMarks {
  /** Commits by itself, before anything is written: a journal that goes further belongs to a newer database. */
  promise(segmentId: string, upTo: number): Promise<void>;
  /** Notes an entry as in this database: with the change's transaction, else by itself. */
  note(segmentId: string, entry: SegmentHead, tx?: TenantTransaction): Promise<void>;
  /** Those of the entries whose changes have committed. */
  committed(entries: readonly EntryPlace[]): Promise<readonly EntryPlace[]>;
  read(): Promise<readonly KnownSegment[]>;
  /** All entries that are in this database. */
  entries(): Promise<readonly EntryPlace[]>;
  /** From now on the whole journal counts as known: it was replayed. */
  settle(heads: readonly (SegmentHead & { readonly segmentId: string })[]): Promise<void>;
  /** Notes that these segments lost entries, and why that was accepted. */
  accept(tx: TenantTransaction, segmentIds: readonly string[], reason: string): Promise<void>;
}
