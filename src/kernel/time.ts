/** Where every "now" comes from. Milliseconds since the Unix epoch. */
export interface Clock {
  now(): number;
}

export const CLOCK = Symbol('Clock');

export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }
}

// The rows of a feed repeat one time over and over, so the last answer is worth keeping, in both directions.
let written = { ms: NaN, text: '' };
let parsed: { readonly text: string; readonly ms: number | undefined } = { text: '', ms: undefined };

/** RFC 3339 in UTC, without a needless fraction: 2026-11-30T06:00:00Z. */
export function rfc3339(ms: number): string {
  if (ms === written.ms) return written.text;
  const iso = new Date(ms).toISOString();
  const text = iso.endsWith('.000Z') ? `${iso.slice(0, -5)}Z` : iso;
  written = { ms, text };
  return text;
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Milliseconds of an RFC 3339 timestamp with an explicit offset (DAP-CORE-021).
 * @returns undefined for anything else: no offset, impossible dates, other notations.
 */
export function parseRfc3339(text: string): number | undefined {
  if (text !== parsed.text) parsed = { text, ms: parseTimestamp(text) };
  return parsed.ms;
}

function parseTimestamp(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = Date.parse(text.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

/** Days of a month, 1-based. */
export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/**
 * The instant of a wall-clock time in an IANA zone. In a gap (spring forward) the later reading is taken, in an overlap the
 * earlier one. Milliseconds.
 */
export function zonedTime(
  zone: string,
  wall: { year: number; month: number; day: number; hour?: number; minute?: number; second?: number },
): number {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour ?? 0, wall.minute ?? 0, wall.second ?? 0);
  const first = asUtc - zoneOffsetMs(zone, asUtc);
  const second = asUtc - zoneOffsetMs(zone, first);
  return second;
}

const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

/** Offset of a zone at an instant: local minus UTC, milliseconds. */
export function zoneOffsetMs(zone: string, instant: number): number {
  let formatter = FORMATTERS.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    FORMATTERS.set(zone, formatter);
  }
  const parts = new Map(formatter.formatToParts(instant).map((p) => [p.type, Number(p.value)]));
  const at = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const local = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
  return local - Math.floor(instant / 1000) * 1000;
}

/** RFC 3339 with the zone's own offset at that instant: 2026-09-16T00:00:00-05:00. */
export function rfc3339InZone(zone: string, instant: number): string {
  const offset = zoneOffsetMs(zone, instant);
  const sign = offset < 0 ? '-' : '+';
  const minutes = Math.abs(offset) / 60_000;
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${new Date(instant + offset).toISOString().slice(0, 19)}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
