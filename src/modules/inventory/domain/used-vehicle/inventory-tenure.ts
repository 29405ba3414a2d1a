import { parseRfc3339 } from '../../../../kernel/time.js';
import type { ListedUnit } from '../listed-unit.js';

const DAY_MS = 86_400_000;

/**
 * How long a unit that is not new had been in stock when it was observed: complete 24-hour periods since it was stocked
 * (DAP-UV-007). This is the published age, a dated fact of the snapshot; whether a rooftop publishes it at all is its
 * policy (`publishInventoryAge`), which the caller asks.
 * @param observedAt milliseconds: the record's observation, published as `age_as_of`.
 * @returns undefined for a new unit, and when the stocked date is unknown, has no offset or lies after `observedAt`
 *   (DAP-UV-008): an age is never made up.
 */
export function publishedAgeDays(unit: ListedUnit, observedAt: number): number | undefined {
  if (unit.condition === 'new' || unit.stockedAt === undefined) return undefined;
  const stockedAt = parseRfc3339(unit.stockedAt);
  if (stockedAt === undefined || stockedAt > observedAt) return undefined;
  return Math.floor((observedAt - stockedAt) / DAY_MS);
}
