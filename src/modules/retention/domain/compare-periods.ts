import { endOf, monthsOf } from './period.js';
import type { Period } from './retention-policy.js';

const DAY_MS = 86_400_000;
const DAYS_OF_MONTH = 30.436875;
/** More than a period of months can differ from so many average months. */
const UNSURE_DAYS = 4;
/** Beginnings of every kind there is: each day of a leap year and of the three after it, at its first and last moment. */
const BEGINNINGS = Array.from({ length: 1461 }, (_, day) => Date.UTC(2024, 0, 1) + day * DAY_MS).flatMap((day) => [
  day,
  day + DAY_MS - 1,
]);

/** Whether one period is longer than another from any beginning: a year is longer than 365 days in a leap year. */
export function mayExceed(one: Period, other: Period): boolean {
  if (monthsOf(one) === monthsOf(other)) return endOf(0, restOf(one)) > endOf(0, restOf(other));
  const difference = averageDays(one) - averageDays(other);
  if (Math.abs(difference) > 2 * UNSURE_DAYS) return difference > 0;
  return BEGINNINGS.some((from) => endOf(from, one) > endOf(from, other));
}

/** What a period has beside its months. */
const restOf = ({ count, unit, plusDays = 0 }: Period): Period =>
  unit === 'days' || unit === 'hours' ? { count, unit, plusDays } : { count: 0, unit: 'days', plusDays };

function averageDays({ count, unit, plusDays = 0 }: Period): number {
  const days = { hours: count / 24, days: count, months: count * DAYS_OF_MONTH, years: count * 12 * DAYS_OF_MONTH };
  return days[unit] + plusDays;
}
