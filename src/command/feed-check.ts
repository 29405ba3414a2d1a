import { readFile } from 'node:fs/promises';
import type { FeedReading, FeedReport, FeedSettings } from '../modules/inventory/index.js';
// Past the front door: what checks a file loads nothing of the service, which takes seconds of a processor.
import { checkFeed } from '../modules/inventory/domain/feed/check-feed.js';
import { FeedProblem } from '../modules/inventory/domain/feed/feed-problem.js';
import { CommandError, EXIT } from './exit-codes.js';
import { openFile } from './file-bytes.js';
import type { Output } from './output.js';
import { table } from './output.js';

export interface FeedCheckOptions {
  readonly profile: string;
  readonly organization?: string;
  readonly rooftop?: string;
  readonly key?: readonly string[];
  readonly currency: string;
  readonly timeZone: string;
  readonly odometerUnit?: 'mi' | 'km';
  readonly settings?: string;
}

/** `feed check FILE`: what an import would publish and what it would refuse, without touching anything. */
export async function feedCheck(path: string, options: FeedCheckOptions, output: Output): Promise<number> {
  const file = await openFile(path);
  const reading = await readingOf(options);
  let rows = 0;
  const report = await checkFeed(file, reading, () => {
    if (++rows % 5000 === 0) output.progress(`${rows} rows`);
  }).catch((error: unknown) => {
    if (error instanceof FeedProblem) throw new CommandError(problemText(error), EXIT.usage);
    throw error;
  });
  output.progress('');
  output.result(humanReport(path, report), report);
  return report.tally.quarantined > 0 ? EXIT.findings : EXIT.done;
}

async function readingOf(options: FeedCheckOptions): Promise<FeedReading> {
  const settings: FeedSettings = {
    currency: options.currency,
    timeZone: options.timeZone,
    ...(options.odometerUnit === undefined ? {} : { odometerUnit: options.odometerUnit }),
    ...(options.settings === undefined ? {} : await readSettings(options.settings)),
  };
  if (!isTimeZone(settings.timeZone)) throw new CommandError('the time zone is not an IANA name', EXIT.usage);
  return {
    organizationId: options.organization ?? 'any',
    profile: options.profile,
    rooftops: bindingOf(options),
    settings,
    receivedAt: Date.now(),
  };
}

async function readSettings(path: string): Promise<Partial<FeedSettings>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Partial<FeedSettings>;
  } catch {
    throw new CommandError(`${path} is not a JSON file that can be read`, EXIT.usage);
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Without a rooftop every store of the file is accepted: a dry run may look before anything is configured. */
function bindingOf({ rooftop, key }: FeedCheckOptions): FeedReading['rooftops'] {
  if (key !== undefined && key.length > 0) {
    const pairs = key.map((pair) => pair.split('=', 2));
    if (pairs.some((pair) => pair.length !== 2))
      throw new CommandError('write --key as STORE_KEY=ROOFTOP_ID', EXIT.usage);
    return { kind: 'by_key', keys: Object.fromEntries(pairs as [string, string][]) };
  }
  return rooftop === undefined ? { kind: 'any' } : { kind: 'single', rooftopId: rooftop };
}

/** Why a whole file cannot be read, in a sentence. */
export function problemText(error: FeedProblem): string {
  const { columns, line } = error.where;
  const where = columns === undefined ? (line === undefined ? '' : ` (line ${line})`) : `: ${columns.join(', ')}`;
  return `the file cannot be read as a feed: ${error.problem.replaceAll('_', ' ')}${where}`;
}

const LISTED = 50;

function humanReport(path: string, report: FeedReport): string {
  const { tally } = report;
  const counts = table(
    ['rows', 'publish', 'withhold', 'repeat', 'quarantine'],
    [[tally.rows, tally.publishable, tally.withheld, tally.collapsed, tally.quarantined]],
  );
  const refused = report.quarantined.slice(0, LISTED).map((n) => [
    n.line,
    n.record,
    n.reason,
    (n.problems ?? [])
      .map((p) => p.column ?? '')
      .filter((c) => c !== '')
      .join(', '),
    n.vin ?? '',
  ]);
  const withheld = Object.entries(tally.withheldBy).map(([reason, count]) => [count, reason]);
  const flags = Object.entries(tally.flags).map(([flag, count]) => [count, flag]);
  return [
    `${path}: ${report.profile}, ${report.encoding}`,
    '',
    counts,
    ...section(
      'Would be quarantined',
      ['line', 'record', 'reason', 'columns', 'VIN'],
      refused,
      report.quarantined.length,
    ),
    ...section('Would be withheld', ['rows', 'reason'], withheld, withheld.length),
    ...section('Notes', ['rows', 'note'], flags, flags.length),
  ].join('\n');
}

function section(
  title: string,
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  total: number,
): string[] {
  if (rows.length === 0) return [];
  return [
    '',
    title,
    table(header, rows),
    ...(total > rows.length ? [`… and ${total - rows.length} more (--json lists up to 1000)`] : []),
  ];
}
