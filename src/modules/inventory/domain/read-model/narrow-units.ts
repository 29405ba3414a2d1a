import type { InventoryColumns } from './inventory-columns.js';
import type { NormalisedFilters, NormalisedQuery } from './normalised-query.js';
import { wantedStandings } from './standing.js';
import { matchWords } from './text-match.js';
import { filtersVariants, flagsOf, markWanted } from './variant-bits.js';

/** Positions in ascending order, of which the first `count` are meant. Narrowed in place. */
export interface Found {
  readonly positions: Uint32Array;
  count: number;
}

/**
 * Keeps the positions that match a query, one condition after the other: each is one tight loop over one or two columns,
 * and the later ones see few units. Positions are written before it is known whether they stay, which needs no branch.
 */
export function narrow(
  columns: InventoryColumns,
  segments: readonly number[],
  query: NormalisedQuery,
  found: Found,
): void {
  const { tokens, filters } = query;
  if (tokens.length > 0 || filtersVariants(filters)) keepWanted(columns, segments, query, found);
  const standings = wantedStandings(filters);
  if (standings !== null) keepFlagged(found, columns.standing, standings);
  const { odometerMin, odometerMax } = filters;
  if (odometerMin !== null || odometerMax !== null) {
    keepWithin(found, columns.odometer, odometerMin ?? 0, odometerMax ?? Infinity);
  }
  const { ageMinDays, ageMaxDays } = filters;
  if (ageMinDays !== null || ageMaxDays !== null) {
    keepWithin(found, columns.ageDays, ageMinDays ?? 0, ageMaxDays ?? Infinity);
  }
  if (filters.priceMin !== null || filters.priceMax !== null) keepPriced(columns, filters, found);
}

/**
 * Words, and filters that the variant decides. Each variant has one bit per word and one for all filters; a unit adds the
 * words of its trim and of its VIN or stock number, and stays when all bits are set.
 */
function keepWanted(
  columns: InventoryColumns,
  segments: readonly number[],
  { tokens, filters }: NormalisedQuery,
  found: Found,
): void {
  const { variantBits, trimBits, codeBits } = matchWords(columns, segments, tokens);
  markWanted(variantBits, columns, filters, 1 << tokens.length);
  const all = (1 << (tokens.length + 1)) - 1;
  const { variant, trim } = columns;
  const { positions, count } = found;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const position = positions[i] as number;
    let bits = variantBits[variant[position] as number] as number;
    if (tokens.length > 0) bits |= trimBits[trim[position] as number] as number;
    if (codeBits !== null) bits |= codeBits[position] as number;
    positions[kept] = position;
    kept += bits === all ? 1 : 0;
  }
  found.count = kept;
}

function keepFlagged(found: Found, codes: Uint8Array | Uint16Array, flags: Uint8Array): void {
  const { positions, count } = found;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const position = positions[i] as number;
    positions[kept] = position;
    kept += flags[codes[position] as number] as number;
  }
  found.count = kept;
}

/** NaN is within nothing: an unknown odometer or age never matches. */
function keepWithin(found: Found, values: Float64Array, min: number, max: number): void {
  const { positions, count } = found;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const position = positions[i] as number;
    const value = values[position] as number;
    positions[kept] = position;
    kept += value >= min && value <= max ? 1 : 0;
  }
  found.count = kept;
}

/** Amounts of different currencies are not comparable: a unit priced in another currency than the filter's is out. */
function keepPriced(columns: InventoryColumns, { priceMin, priceMax }: NormalisedFilters, found: Found): void {
  const currencies = new Set([priceMin, priceMax].flatMap((bound) => (bound === null ? [] : [bound.currency])));
  for (const currency of currencies) {
    const flags = flagsOf([currency], columns.currencies.values);
    if (flags !== null) keepFlagged(found, columns.currency, flags);
  }
  keepWithin(found, columns.priceMinor, priceMin?.amount_minor ?? 0, priceMax?.amount_minor ?? Infinity);
}
