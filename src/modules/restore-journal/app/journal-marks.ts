import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { KnownSegment } from '../domain/compare-marks.js';
import type { SegmentHead } from '../domain/journal-line.js';

export interface EntryPlace {
  readonly segmentId: string;
  readonly seq: number;
}

/** An entry with the hash of its line. */
export type NotedEntry = EntryPlace & Pick<SegmentHead, 'hash'>;

/** Port: how far the database and the journal know of each other. */
export interface JournalMarks {
  /** Commits by itself, before anything is written: a journal that goes further belongs to a newer database. */
  promise(segmentId: string, upTo: number): Promise<void>;
  /**
   * Notes entries as in this database: with the transaction of their changes, else by itself. With a transaction the last of them is the
   * newest of its organization, which checkpoints name from then on.
   */
  note(entries: readonly NotedEntry[], tx?: TenantTransaction): Promise<void>;
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
