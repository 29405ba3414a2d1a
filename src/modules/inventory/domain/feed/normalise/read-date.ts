import { daysInMonth, parseRfc3339, rfc3339InZone, zonedTime } from '../../../../../kernel/time.js';
import { detachedText } from '../detached-text.js';

export interface DateReading {
  /** RFC 3339 with offset. */
  readonly at: string;
  readonly precision: 'day' | 'second';
  /** Whether the source itself wrote an offset. */
  readonly offset: boolean;
}

const US = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?:,?\s+(.+))?$/;
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T\s]\s*(.+))?$/;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:\s*([ap])\.?m\.?)?$/i;

/** Local midnights repeat over the rows of a file, and zone arithmetic is slow. */
const MEMO_SIZE = 4096;

/**
 * Reads dates as exports write them: RFC 3339 is kept; US and ISO dates without offset are local to a zone, a mere day at
 * its midnight with precision `day`.
 */
export class DateReader {
  private readonly memo = new Map<string, DateReading | undefined>();

  constructor(private readonly zone: string) {}

  /** @returns undefined for impossible dates and other notations. */
  read(raw: string): DateReading | undefined {
    const text = raw.trim();
    if (parseRfc3339(text) !== undefined) return { at: text.toUpperCase(), precision: 'second', offset: true };
    if (this.memo.has(text)) return this.memo.get(text);
    const reading = this.readLocal(text);
    if (this.memo.size >= MEMO_SIZE) this.memo.clear();
    this.memo.set(detachedText(text), reading);
    return reading;
  }

  private readLocal(text: string): DateReading | undefined {
    const us = US.exec(text);
    const iso = us === null ? ISO.exec(text) : null;
    const parts = us === null ? iso : [us[0], us[3], us[1], us[2], us[4]];
    if (parts === null) return undefined;
    const [year, month, day] = [fullYear(parts[1] ?? ''), Number(parts[2]), Number(parts[3])];
    if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
    const clock = parts[4] === undefined ? {} : clockOf(parts[4]);
    if (clock === undefined) return undefined;
    const at = rfc3339InZone(this.zone, zonedTime(this.zone, { year, month, day, ...clock }));
    return { at, precision: parts[4] === undefined ? 'day' : 'second', offset: false };
  }
}

function fullYear(text: string): number {
  return text.length === 2 ? 2000 + Number(text) : Number(text);
}

function clockOf(text: string): { hour: number; minute: number; second: number } | undefined {
  const match = CLOCK.exec(text.trim());
  if (match === null) return undefined;
  const half = match[4]?.toLowerCase();
  const [written, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? '0')];
  if (half !== undefined && (written < 1 || written > 12)) return undefined;
  const hour = half === undefined ? written : (written % 12) + (half === 'p' ? 12 : 0);
  return hour > 23 || minute > 59 || second > 59 ? undefined : { hour, minute, second };
}
