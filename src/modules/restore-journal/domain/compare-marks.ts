import type { SegmentHead } from './journal-line.js';

/** What the database knows of a segment. */
export interface KnownSegment {
  readonly segmentId: string;
  /** No entry behind this one was written while this database was the one in use. */
  readonly promised: number;
  /** The last entry that is in this database. */
  readonly last: SegmentHead | undefined;
  /** Somebody accepted that entries of it are gone. */
  readonly lost: boolean;
}

/** A segment as it lies in the journal: hashes of its lines by number, as far back as the database's last one. */
export interface LyingSegment {
  readonly segmentId: string;
  readonly lastSeq: number;
  readonly hashes: ReadonlyMap<number, string>;
}

/**
 * `database_older`: the journal holds more than this database ever announced, so the database was restored. The others: the
 * journal is not what this database knows it to be.
 */
export type JournalProblem = 'database_older' | 'segment_missing' | 'segment_cut' | 'segment_altered';

export interface JournalFinding {
  readonly segmentId: string;
  readonly problem: JournalProblem;
}

export interface Comparison {
  readonly findings: readonly JournalFinding[];
  /** Segments with entries whose change is not in the database: their process died, or their transaction was rolled back. */
  readonly unsettled: readonly string[];
}

/** Compares the journal with what the database knows of it. The journal is to be read first, the database after it. */
export function compareMarks(known: readonly KnownSegment[], lying: readonly LyingSegment[]): Comparison {
  const marks = new Map(known.map((mark) => [mark.segmentId, mark]));
  const found = new Map(lying.map((segment) => [segment.segmentId, segment]));
  const findings: JournalFinding[] = [];
  const unsettled: string[] = [];
  for (const segmentId of new Set([...found.keys(), ...marks.keys()])) {
    const problem = problemOf(marks.get(segmentId), found.get(segmentId));
    if (problem !== undefined) findings.push({ segmentId, problem });
    else if ((found.get(segmentId)?.lastSeq ?? 0) > (marks.get(segmentId)?.last?.seq ?? 0)) unsettled.push(segmentId);
  }
  return { findings, unsettled };
}

function problemOf(mark: KnownSegment | undefined, segment: LyingSegment | undefined): JournalProblem | undefined {
  if (mark === undefined) return segment !== undefined && segment.lastSeq > 0 ? 'database_older' : undefined;
  if ((segment?.lastSeq ?? 0) > mark.promised) return 'database_older';
  if (mark.last === undefined || mark.lost) return undefined;
  if (segment === undefined) return 'segment_missing';
  if (segment.lastSeq < mark.last.seq) return 'segment_cut';
  return segment.hashes.get(mark.last.seq) === mark.last.hash ? undefined : 'segment_altered';
}
