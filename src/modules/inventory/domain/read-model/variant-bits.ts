import { CONDITIONS, VEHICLE_TYPES } from '../vehicle-schema.js';
import type { InventoryColumns } from './inventory-columns.js';
import type { NormalisedFilters } from './normalised-query.js';

/** Adds a bit to each variant that passes the filters on year, make, model, condition and vehicle type. */
export function markWanted(
  bits: Uint16Array,
  columns: InventoryColumns,
  filters: NormalisedFilters,
  bit: number,
): void {
  const { year, make, model, condition, vehicleType } = columns.variants;
  const makes = flagsOf(filters.makes, columns.makes.comparable);
  const models = flagsOf(filters.models, columns.models.comparable);
  const conditions = flagsOf(filters.conditions, CONDITIONS);
  const types = flagsOf(filters.vehicleTypes, VEHICLE_TYPES);
  const from = filters.yearMin ?? 0;
  const to = filters.yearMax ?? Infinity;
  for (let i = 0; i < bits.length; i++) {
    const inYears = (year[i] as number) >= from && (year[i] as number) <= to;
    if (!inYears || !isSet(makes, make[i] as number) || !isSet(models, model[i] as number)) continue;
    if (!isSet(conditions, condition[i] as number) || !isSet(types, vehicleType[i] as number)) continue;
    bits[i] = (bits[i] as number) | bit;
  }
}

/** Whether any filter is decided by the variant alone. */
export function filtersVariants(filters: NormalisedFilters): boolean {
  const { makes, models, conditions, vehicleTypes, yearMin, yearMax } = filters;
  const lists = makes.length + models.length + conditions.length + vehicleTypes.length;
  return lists > 0 || yearMin !== null || yearMax !== null;
}

/** For each value of a vocabulary whether the list has it; null for an empty list, which constrains nothing. */
export function flagsOf(wanted: readonly string[], vocabulary: readonly string[]): Uint8Array | null {
  if (wanted.length === 0) return null;
  const set = new Set(wanted);
  return Uint8Array.from(vocabulary, (value) => (set.has(value) ? 1 : 0));
}

/** A negative code is "not given" and in no list. */
function isSet(flags: Uint8Array | null, code: number): boolean {
  return flags === null || (code >= 0 && flags[code] === 1);
}
