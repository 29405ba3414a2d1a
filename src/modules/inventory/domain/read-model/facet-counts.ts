import { JsonBytes } from '../../../../kernel/json-bytes.js';
import { LIMITS } from '../../../../kernel/limits.js';
import { CONDITIONS, VEHICLE_TYPES } from '../vehicle-schema.js';
import type { InventoryColumns } from './inventory-columns.js';

interface FacetValue {
  readonly value: string | number;
  readonly count: number;
}

/**
 * Counts the facets of a result over all its units, not the page (DAP §2.7). Values by falling count, then ascending;
 * at most LIMITS.facetValues each. Units are counted per variant first, since every facet follows from the variant.
 */
export function countFacets(columns: InventoryColumns, positions: Uint32Array): JsonBytes {
  const { year, make, model, condition, vehicleType } = columns.variants;
  const tally = tallyOf(columns.variant, positions, year.length);
  return JsonBytes.of({
    make: facetOf(tally, make, columns.makes.values),
    model: facetOf(tally, model, columns.models.values),
    condition: facetOf(tally, condition, CONDITIONS),
    year: facetOf(tally, year, YEARS),
    vehicle_type: facetOf(tally, vehicleType, VEHICLE_TYPES),
  });
}

/** Every value a year column can hold, so that years count like the other codes. */
const YEARS = Array.from({ length: 2201 }, (_, year) => year);

interface Tally {
  /** The variants that occur. */
  readonly variants: Uint32Array;
  /** How many units each variant has. */
  readonly counts: Uint32Array;
}

function tallyOf(variantOf: Uint32Array, positions: Uint32Array, variantCount: number): Tally {
  const all = new Uint32Array(variantCount);
  for (let i = 0; i < positions.length; i++) {
    const variant = variantOf[positions[i] as number] as number;
    all[variant] = (all[variant] as number) + 1;
  }
  const variants = new Uint32Array(Math.min(variantCount, positions.length));
  let found = 0;
  for (let variant = 0; variant < variantCount; variant++) if (all[variant] !== 0) variants[found++] = variant;
  return { variants: variants.subarray(0, found), counts: all };
}

/** Adds up units by code; negative codes (not given) are not counted. */
function facetOf(tally: Tally, codes: Int32Array, values: readonly (string | number)[]): readonly FacetValue[] {
  const { variants, counts } = tally;
  const totals = new Uint32Array(values.length);
  for (let i = 0; i < variants.length; i++) {
    const variant = variants[i] as number;
    const code = codes[variant] as number;
    if (code >= 0) totals[code] = (totals[code] as number) + (counts[variant] as number);
  }
  const found: FacetValue[] = [];
  for (let code = 0; code < totals.length; code++) {
    const count = totals[code] as number;
    if (count > 0) found.push({ value: values[code] as string | number, count });
  }
  return ranked(found);
}

function ranked(found: FacetValue[]): readonly FacetValue[] {
  found.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return found.slice(0, LIMITS.facetValues.value);
}
