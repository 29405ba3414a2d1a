import type { QuarantineReason, SourcePosition } from '../row-outcome.js';

/** A record that could be taken apart. `cells` stand in the order of the file's (or the layout's) columns. */
export interface ReadRecord {
  readonly at: SourcePosition;
  readonly cells: readonly string[];
  /** Characters of the record: bounds what its cells can hold. */
  readonly size: number;
  /** Equal for two records of a file exactly when all of their cells are, also those that nobody reads. */
  readonly identity: string;
}

/** A record that could not be taken apart, and why. */
export interface SpoiltRecord {
  readonly at: SourcePosition;
  readonly spoilt: QuarantineReason;
}

export type FeedRecord = ReadRecord | SpoiltRecord;

/**
 * A codec: takes the text of a file piece by piece, however it is cut, and gives the records that are complete. It holds
 * at most one unfinished record of bounded size.
 */
export interface RecordReader {
  /** @throws FeedProblem when the document as a whole breaks. */
  push(text: string): readonly FeedRecord[];
  /** The last record, when no line end follows it. @throws FeedProblem when the document is cut short. */
  end(): readonly FeedRecord[];
}
