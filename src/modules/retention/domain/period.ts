import { daysInMonth } from '../../../kernel/time.js';
import type { Period } from './retention-policy.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * When a period is over that begins at a moment. Counted in UTC, so that no zone's clock change makes an hour of difference.
 * A period of months or years is over on the day of the same number, at the same time of day; where the month has no such day,
 * at the month's end (the first moment of the next one). So a later beginning never has an earlier end, and no period is shorter
 * than its name. @param from milliseconds
 */
export function endOf(from: number, { count, unit, plusDays = 0 }: Period): number {
  return monthsLater(from, monthsOf({ count, unit })) + daysMsOf({ count, unit }) + plusDays * DAY_MS;
}

/** The last moment, in milliseconds, at which a period can have begun that is over at `at`. The inverse of {@link endOf}. */
export function lastBeginning(at: number, { count, unit, plusDays = 0 }: Period): number {
  return lastMonthsEarlier(at - plusDays * DAY_MS - daysMsOf({ count, unit }), monthsOf({ count, unit }));
}

/** Calendar months of a period; 0 for one of days or hours. */
export const monthsOf = ({ count, unit }: Pick<Period, 'count' | 'unit'>): number =>
  unit === 'years' ? count * 12 : unit === 'months' ? count : 0;

const daysMsOf = ({ count, unit }: Period): number =>
  unit === 'days' ? count * DAY_MS : unit === 'hours' ? count * HOUR_MS : 0;

function monthsLater(from: number, months: number): number {
  if (months === 0) return from;
  const { month, day, timeOfDay } = partsOf(from);
  const target = month + months;
  return day <= lengthOf(target) ? beginningOf(target) + (day - 1) * DAY_MS + timeOfDay : beginningOf(target + 1);
}

function lastMonthsEarlier(at: number, months: number): number {
  if (months === 0) return at;
  const { month, day, timeOfDay } = partsOf(at);
  const source = month - months;
  return day <= lengthOf(source) ? beginningOf(source) + (day - 1) * DAY_MS + timeOfDay : beginningOf(source + 1) - 1;
}

/** Months are counted from year 0. */
function partsOf(at: number): { readonly month: number; readonly day: number; readonly timeOfDay: number } {
  const date = new Date(at);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  return { month, day: date.getUTCDate(), timeOfDay: at - Math.floor(at / DAY_MS) * DAY_MS };
}

const beginningOf = (month: number): number => Date.UTC(Math.floor(month / 12), month - Math.floor(month / 12) * 12, 1);
const lengthOf = (month: number): number =>
  daysInMonth(Math.floor(month / 12), month - Math.floor(month / 12) * 12 + 1);
