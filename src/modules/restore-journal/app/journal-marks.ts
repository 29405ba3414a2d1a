import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { SegmentHead } from '../domain/journal-line.js';

/** What the database knows of a segment. */
export interface SegmentMark {
  readonly segmentId: string;
  /** No entry behind this one was written while this database was the one in use. */
  readonly promised: number;
  /** The last entry whose change is in this database. */
  readonly last: SegmentHead | undefined;
  /** Somebody accepted that entries of it are gone. */
  readonly lost: boolean;
}

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
  read(): Promise<readonly SegmentMark[]>;
}
