import { detachedText } from './detached-text.js';
import type { FeedBytes } from './feed-bytes.js';
import type { FeedReading } from './feed-settings.js';
import type { TallySnapshot } from './feed-tally.js';
import { FeedTally } from './feed-tally.js';
import { readFeed } from './read-feed.js';
import type { LedgerAnswer, LedgerConclusion } from './row-ledger.js';
import { RowLedger } from './row-ledger.js';
import type { RowOutcome, RowProblem, SourcePosition } from './row-outcome.js';

/** Notes of one kind that a report lists one by one; the tally counts all of them. */
const LISTED_NOTES = 1000;

export interface RowNote extends SourcePosition {
  readonly reason: string;
  readonly vin?: string;
  /** The line of the record that this one repeats. */
  readonly sameAsLine?: number;
  /** Everything that is wrong with a quarantined row. */
  readonly problems?: readonly RowProblem[];
}

/** What reading a file would do. Lists hold the first thousand notes of each kind, in file order. */
export interface FeedReport {
  readonly profile: string;
  readonly encoding: string;
  readonly tally: TallySnapshot;
  readonly withheld: readonly RowNote[];
  readonly collapsed: readonly RowNote[];
  readonly quarantined: readonly RowNote[];
  readonly flags: readonly RowNote[];
}

/** Told of every row as it is read. Conflicts with later rows are not known then: the report has them. */
export type RowListener = (row: RowOutcome, answer: LedgerAnswer | undefined) => void;

/**
 * Reads a whole file without side effects and reports what it holds: the dry run of an import.
 * @throws FeedProblem when the file as a whole cannot be read.
 */
export async function checkFeed(bytes: FeedBytes, reading: FeedReading, onRow?: RowListener): Promise<FeedReport> {
  const { profile, encoding, rows } = await readFeed(bytes, reading);
  const [ledger, tally, notes] = [new RowLedger(), new FeedTally(), new ReportNotes()];
  for await (const row of rows) {
    const answer = row.kind === 'unit' ? ledger.add(row) : undefined;
    tally.add(row, answer);
    notes.add(row, answer);
    onRow?.(row, answer);
  }
  const conclusion = ledger.conclude();
  tally.conclude(conclusion);
  return { profile, encoding, tally: tally.snapshot(), ...notes.conclude(conclusion) };
}

/** The lists of a report, each bounded. */
class ReportNotes {
  private readonly withheld: RowNote[] = [];
  private readonly collapsed: RowNote[] = [];
  private readonly quarantined: RowNote[] = [];
  private readonly flags: RowNote[] = [];

  add(row: RowOutcome, answer: LedgerAnswer | undefined): void {
    if (row.kind === 'quarantined') {
      const { reason, problems, vin } = row;
      list(this.quarantined, { ...row.at, reason, problems, ...(vin === undefined ? {} : { vin }) });
      return;
    }
    const { vin } = row.unit;
    for (const { flag } of row.flags) list(this.flags, { ...row.at, reason: flag, vin });
    if (answer?.kind === 'collapsed') {
      list(this.collapsed, { ...row.at, reason: 'duplicate_identical', vin, sameAsLine: answer.sameAsLine });
    } else if (row.withheld !== undefined && answer?.kind === 'first') {
      list(this.withheld, { ...row.at, reason: row.withheld, vin });
    }
  }

  conclude(conclusion: LedgerConclusion): Pick<FeedReport, 'withheld' | 'collapsed' | 'quarantined' | 'flags'> {
    const conflicted = new Set<number>();
    for (const { vin, positions } of conclusion.conflicts) {
      for (const { line, record } of positions) {
        conflicted.add(record);
        list(this.quarantined, {
          line,
          record,
          reason: 'duplicate_conflict',
          vin,
          problems: [{ reason: 'duplicate_conflict' }],
        });
      }
    }
    for (const { positions } of conclusion.sharedStockNumbers) this.flag('stock_number_shared', positions);
    for (const { positions, vin } of conclusion.sharedVins) this.flag('vin_at_two_rooftops', positions, vin);
    const sound = (notes: readonly RowNote[]): RowNote[] => notes.filter(({ record }) => !conflicted.has(record));
    return {
      withheld: sound(this.withheld),
      collapsed: sound(this.collapsed),
      quarantined: inOrder(this.quarantined),
      flags: inOrder(this.flags),
    };
  }

  private flag(reason: string, positions: readonly SourcePosition[], vin?: string): void {
    for (const { line, record } of positions)
      list(this.flags, { line, record, reason, ...(vin === undefined ? {} : { vin }) });
  }
}

function list(notes: RowNote[], note: RowNote): void {
  if (notes.length >= LISTED_NOTES) return;
  notes.push(note.vin === undefined ? note : { ...note, vin: detachedText(note.vin) });
}

function inOrder(notes: readonly RowNote[]): RowNote[] {
  return [...notes].sort((a, b) => a.record - b.record);
}
