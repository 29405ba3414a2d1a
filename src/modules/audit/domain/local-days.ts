import { zonedTime, zoneOffsetMs } from '../../../kernel/time.js';

const DAY_MS = 86_400_000;

/** The local date of an instant, YYYY-MM-DD. */
export const localDay = (zone: string, instant: number): string =>
  new Date(instant + zoneOffsetMs(zone, instant)).toISOString().slice(0, 10);

/** The date after a date. */
export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);

/** The first instant of the day after: 23, 24 or 25 hours after the day's own first one. */
export function endOfDay(zone: string, day: string): number {
  const [year = 0, month = 0, date = 0] = dayAfter(day).split('-').map(Number);
  return zonedTime(zone, { year, month, day: date });
}

/** The days from one to another, both included; none where the second is before the first. */
export function daysBetween(first: string, last: string): readonly string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day);
  return days;
}
