import type { FeedBytes } from '../domain/feed/feed-bytes.js';
import type { FeedReading } from '../domain/feed/feed-settings.js';
import type { TallySnapshot } from '../domain/feed/feed-tally.js';
import { FeedTally } from '../domain/feed/feed-tally.js';
import { readFeed } from '../domain/feed/read-feed.js';
import type { LedgerConclusion } from '../domain/feed/row-ledger.js';
import { RowLedger } from '../domain/feed/row-ledger.js';
import type { RowOutcome } from '../domain/feed/row-outcome.js';
import type { BatchWriter } from './batch-writer.js';
import { conclusionNotes, quarantineNote, unitNotes } from './report-rows.js';
import type { RecordContext } from './staged-row.js';
import { prepareRow } from './staged-row.js';

/** Thrown when the process stops: the next attempt starts again. */
export class ImportInterrupted extends Error {
  override readonly name = 'ImportInterrupted';
}

export interface StagedFeed {
  readonly profile: string;
  readonly encoding: string;
  readonly tally: TallySnapshot;
  readonly conclusion: LedgerConclusion;
}

export interface StagingOptions {
  readonly context: RecordContext;
  readonly signal: AbortSignal;
  /** Called now and then with the number of rows read. */
  readonly onProgress: (rows: number) => void;
}

/**
 * Reads a file to its end and stages what it holds. Nothing is published here.
 * @throws FeedProblem when the file as a whole cannot be read, LeaseLost, ImportInterrupted.
 */
export async function stageFeed(
  bytes: FeedBytes,
  reading: FeedReading,
  writer: BatchWriter,
  options: StagingOptions,
): Promise<StagedFeed> {
  const { profile, encoding, rows } = await readFeed(bytes, reading);
  const [ledger, tally] = [new RowLedger(), new FeedTally()];
  let read = 0;
  for await (const outcome of rows) {
    read++;
    takeRow(outcome, options.context, writer, ledger, tally);
    if (!writer.isFull) continue;
    if (options.signal.aborted) throw new ImportInterrupted();
    await writer.flush(read);
    options.onProgress(read);
  }
  const conclusion = ledger.conclude();
  tally.conclude(conclusion);
  await writer.finish(read);
  return { profile, encoding, tally: tally.snapshot(), conclusion };
}

/** Adds what can only be said when all rows are known; after the conflicts are settled, so that they stay in the report. */
export async function stageConclusion(staged: StagedFeed, writer: BatchWriter): Promise<void> {
  writer.note(conclusionNotes(staged.conclusion));
  await writer.finish(staged.tally.rows);
}

function takeRow(
  outcome: RowOutcome,
  context: RecordContext,
  writer: BatchWriter,
  ledger: RowLedger,
  tally: FeedTally,
): void {
  const prepared = outcome.kind === 'unit' ? prepareRow(outcome, context) : outcome;
  if ('kind' in prepared) {
    tally.add(prepared, undefined);
    writer.note([quarantineNote(prepared)]);
    return;
  }
  const { row } = prepared;
  const answer = ledger.add(row);
  tally.add(row, answer);
  writer.note(unitNotes(row, answer));
  if (answer.kind === 'first') writer.addUnit(prepared);
}
