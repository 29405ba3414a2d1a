import { JsonBytes } from '../../../../kernel/json-bytes.js';
import { LIMITS } from '../../../../kernel/limits.js';
import { CONDITIONS, VEHICLE_TYPES } from '../vehicle-schema.js';
import type { InventoryColumns } from './inventory-columns.js';
import { STANDINGS } from './standing.js';

interface FacetValue {
  readonly value: string | number;
  readonly count: number;
}

/**
 * Counts the facets of a result over all its units, not the page (DAP §2.7). Values by falling count, then ascending;
 * at most LIMITS.facetValues each. Units are counted per variant and per standing first, since every facet follows from
 * those. What a unit does not say or publish is not counted.
 */
export function countFacets(columns: InventoryColumns, positions: Uint32Array): JsonBytes {
  const { year, make, model, condition, vehicleType } = columns.variants;
  const tally = tallyOf(columns.variant, positions, year.length);
  const standings = tallyOf(columns.standing, positions, STANDINGS.length);
  return JsonBytes.of({
    make: facetOf(tally, make, columns.makes.values),
    model: facetOf(tally, model, columns.models.values),
    condition: facetOf(tally, condition, CONDITIONS),
    year: facetOf(tally, year, YEARS),
    vehicle_type: facetOf(tally, vehicleType, VEHICLE_TYPES),
    availability: standingFacet(standings, ({ availability }) => availability),
    history_report_status: standingFacet(standings, ({ history }) => history),
    certification_type: standingFacet(standings, ({ certification }) => certification),
  });
}

/** Every value a year column can hold, so that years count like the other codes. */
const YEARS = Array.from({ length: 2201 }, (_, year) => year);

interface Tally {
  /** The codes that occur. */
  readonly codes: Uint32Array;
  /** How many units each code has. */
  readonly counts: Uint32Array;
}

function tallyOf(codeOf: Uint32Array | Uint8Array, positions: Uint32Array, codeCount: number): Tally {
  const all = new Uint32Array(codeCount);
  for (let i = 0; i < positions.length; i++) {
    const code = codeOf[positions[i] as number] as number;
    all[code] = (all[code] as number) + 1;
  }
  const codes = new Uint32Array(Math.min(codeCount, positions.length));
  let found = 0;
  for (let code = 0; code < codeCount; code++) if (all[code] !== 0) codes[found++] = code;
  return { codes: codes.subarray(0, found), counts: all };
}

/** Adds up the units of variants by a code of theirs; negative codes (not given) are not counted. */
function facetOf(tally: Tally, codes: Int32Array, values: readonly (string | number)[]): readonly FacetValue[] {
  const { codes: variants, counts } = tally;
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

function standingFacet(
  { codes, counts }: Tally,
  valueOf: (standing: (typeof STANDINGS)[number]) => string | null,
): readonly FacetValue[] {
  const totals = new Map<string, number>();
  for (const code of codes) {
    const value = valueOf(STANDINGS[code] as (typeof STANDINGS)[number]);
    if (value !== null) totals.set(value, (totals.get(value) ?? 0) + (counts[code] as number));
  }
  return ranked([...totals].map(([value, count]) => ({ value, count })));
}

function ranked(found: FacetValue[]): readonly FacetValue[] {
  found.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return found.slice(0, LIMITS.facetValues.value);
}
