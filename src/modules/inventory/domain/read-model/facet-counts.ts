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
  const { variants } = columns;
  const counts = new Uint32Array(variants.year.length);
  for (const position of positions) {
    const variant = columns.variant[position] as number;
    counts[variant] = (counts[variant] as number) + 1;
  }
  return JsonBytes.of({
    make: facetOf(counts, variants.make, columns.makes.values),
    model: facetOf(counts, variants.model, columns.models.values),
    condition: facetOf(counts, variants.condition, CONDITIONS),
    year: facetOf(counts, variants.year, YEARS),
    vehicle_type: facetOf(counts, variants.vehicleType, VEHICLE_TYPES),
  });
}

/** Every value a year column can hold, so that years count like the other codes. */
const YEARS = Array.from({ length: 2201 }, (_, year) => year);

/** Adds up units by code; negative codes (not given) are not counted. */
function facetOf(
  counts: Uint32Array,
  codes: ArrayLike<number>,
  values: readonly (string | number)[],
): readonly FacetValue[] {
  const totals = new Uint32Array(values.length);
  for (let variant = 0; variant < counts.length; variant++) {
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
