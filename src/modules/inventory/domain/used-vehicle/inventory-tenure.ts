import { parseRfc3339 } from '../../../../kernel/time.js';
import type { ListedUnit } from '../listed-unit.js';
import type { RowFreshness } from '../vehicle-record/row-attribution.js';
import { factProvenance } from '../vehicle-record/row-attribution.js';
import type { VehicleContext } from '../vehicle-record/vehicle-context.js';
import type { InventoryTenure } from './used-vehicle-schema.js';

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

/**
 * The time in stock as it is published, with its basis and the time it was counted at (DAP-UV-006).
 * @returns undefined when the rooftop keeps its inventory age to itself, or there is none to publish.
 */
export function inventoryTenureOf(
  unit: ListedUnit,
  context: VehicleContext,
  freshness: RowFreshness,
): InventoryTenure | undefined {
  const { observedAt, stockedAt, firstListedAt } = unit;
  if (!context.rooftop.publishInventoryAge || stockedAt === undefined) return undefined;
  const ageDays = publishedAgeDays(unit, observedAt);
  if (ageDays === undefined) return undefined;
  const listedAt = firstListedAt === undefined ? undefined : parseRfc3339(firstListedAt);
  const listed = listedAt !== undefined && listedAt <= observedAt;
  const provenance = factProvenance(context.source, freshness.observed_at);
  return {
    stocked_at: stockedAt,
    ...(listed ? { first_public_listing_at: firstListedAt } : {}),
    age_days: ageDays,
    age_as_of: freshness.observed_at,
    age_basis: 'stocked_at',
    provenance: unit.stockedAtPrecision === 'day' ? { ...provenance, transformations: [...DAY_ONLY] } : provenance,
    freshness,
  };
}

/** The source gave a date and no time of day: what was made of it is said (DAP-UV-009). */
const DAY_ONLY = ['stocked_at was a date without time; taken as midnight at the rooftop'] as const;
