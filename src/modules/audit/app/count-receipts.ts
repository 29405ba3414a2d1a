import { LIMITS } from '../../../kernel/limits.js';
import type { ReceiptFilter, ReceiptLine, ReceiptPage } from './audit-search.js';

const DAY_MS = 86_400_000;
/** How many more days at most the next piece has. */
const GROWTH = 4;

type After = Omit<ReceiptLine, 'calls'>;
/** Counts one piece of a period. @returns at most `limit` lines behind `after`, in their order */
export type CountPiece = (
  filter: ReceiptFilter,
  page: { readonly after?: After; readonly limit: number },
) => Promise<readonly ReceiptLine[]>;

/**
 * A page of receipts, counted in pieces of whole UTC days until it is full, its period is over, or `most` calls were counted: a page
 * costs what it counts, however long the period is and however many calls the rooftop has. A day is never divided.
 */
export async function countReceipts(
  count: CountPiece,
  { rooftopId, from, to }: ReceiptFilter,
  { after, limit }: { readonly after?: After; readonly limit: number },
  most: number = LIMITS.auditSumRecords.value,
): Promise<ReceiptPage> {
  const end = Date.parse(to);
  const lines: ReceiptLine[] = [];
  let begin = Math.max(Date.parse(from), after === undefined ? 0 : Date.parse(after.day));
  let calls = 0;
  for (let days = 1; begin < end;) {
    const until = Math.min(dayOf(begin) + days * DAY_MS, end);
    const piece = {
      rooftopId,
      from: begin === Date.parse(from) ? from : instant(begin),
      to: until === end ? to : instant(until),
    };
    // Behind the first piece's days every line is behind the place where the page before ended.
    const found = await count(
      piece,
      after === undefined ? { limit: limit - lines.length } : { after, limit: limit - lines.length },
    );
    lines.push(...found);
    if (lines.length >= limit) break;
    const counted = found.reduce((sum, line) => sum + line.calls, 0);
    calls += counted;
    if (calls >= most && until < end) return { lines, countedTo: instant(until) };
    begin = until;
    days = nextDays(days, counted, most - calls);
  }
  return { lines };
}

/** As many days as are thought to hold what may still be counted. */
function nextDays(days: number, counted: number, left: number): number {
  const grown = days * GROWTH;
  return counted === 0 ? grown : Math.max(1, Math.min(grown, Math.floor((left * days) / counted)));
}

const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;
const instant = (at: number): string => new Date(at).toISOString();
