import { AVAILABILITY_STATUSES, CONDITIONS, VEHICLE_TYPES } from '../vehicle-schema.js';
import type { InventoryColumns } from './inventory-columns.js';
import type { NormalisedFilters, NormalisedQuery } from './normalised-query.js';
import { codeWordBits, variantWordBits, wordBits } from './text-match.js';

/**
 * Decides whether a unit belongs to a result. Everything about a variant is decided beforehand, once per variant: one bit
 * per word of the query, and one more for the filters. A unit adds the words of its trim and of its VIN or stock number.
 */
export class RowFilter {
  private readonly variantBits: Uint16Array;
  private readonly trimBits: Uint16Array | null;
  private readonly codeBits: Uint8Array | null;
  private readonly allBits: number;
  private readonly price: PriceRange | null;
  private readonly odometer: Range | null;
  private readonly availability: Uint8Array | null;

  constructor(
    private readonly columns: InventoryColumns,
    segments: readonly number[],
    query: NormalisedQuery,
  ) {
    const { tokens, filters } = query;
    this.variantBits = variantWordBits(columns, tokens);
    this.trimBits = tokens.length === 0 ? null : wordBits(columns.trims.folded, tokens);
    this.codeBits = codeWordBits(columns, segments, tokens);
    markWanted(this.variantBits, columns, filters, 1 << tokens.length);
    this.allBits = (1 << (tokens.length + 1)) - 1;
    this.price = priceRangeOf(columns, filters);
    this.odometer = rangeOf(filters.odometerMin, filters.odometerMax);
    this.availability = flagsOf(filters.availability, AVAILABILITY_STATUSES);
  }

  accepts(position: number): boolean {
    const { columns, trimBits, codeBits } = this;
    let bits = this.variantBits[columns.variant[position] as number] as number;
    if (trimBits !== null) bits |= trimBits[columns.trim[position] as number] as number;
    if (codeBits !== null) bits |= codeBits[position] as number;
    return bits === this.allBits && this.acceptsOffer(position);
  }

  private acceptsOffer(position: number): boolean {
    const { columns, price, odometer, availability } = this;
    if (availability !== null && availability[columns.availability[position] as number] === 0) return false;
    if (odometer !== null && !within(odometer, columns.odometer[position] as number)) return false;
    if (price === null) return true;
    return columns.currency[position] === price.currency && within(price, columns.priceMinor[position] as number);
  }
}

interface Range {
  readonly min: number;
  readonly max: number;
}

interface PriceRange extends Range {
  /** Code of the one currency that can match; -1 when none can. */
  readonly currency: number;
}

/** False for NaN: an unknown odometer never matches. */
function within(range: Range, value: number): boolean {
  return value >= range.min && value <= range.max;
}

function rangeOf(min: number | null, max: number | null): Range | null {
  return min === null && max === null ? null : { min: min ?? -Infinity, max: max ?? Infinity };
}

/** Amounts of different currencies are not comparable: a unit priced in another currency than the filter's is out. */
function priceRangeOf(columns: InventoryColumns, { priceMin, priceMax }: NormalisedFilters): PriceRange | null {
  const range = rangeOf(priceMin?.amount_minor ?? null, priceMax?.amount_minor ?? null);
  if (range === null) return null;
  const currency = priceMin?.currency ?? priceMax?.currency ?? '';
  const contradictory = priceMax !== null && priceMax.currency !== currency;
  return { ...range, currency: contradictory ? -1 : columns.currencies.codeOf(currency) };
}

/** Adds a bit to each variant that passes the filters on year, make, model, condition and vehicle type. */
function markWanted(bits: Uint16Array, columns: InventoryColumns, filters: NormalisedFilters, bit: number): void {
  const { variants } = columns;
  const makes = flagsOf(filters.makes, columns.makes.comparable);
  const models = flagsOf(filters.models, columns.models.comparable);
  const conditions = flagsOf(filters.conditions, CONDITIONS);
  const types = flagsOf(filters.vehicleTypes, VEHICLE_TYPES);
  const years = { min: filters.yearMin ?? -Infinity, max: filters.yearMax ?? Infinity };
  for (let i = 0; i < bits.length; i++) {
    if (!within(years, variants.year[i] as number)) continue;
    if (makes !== null && makes[variants.make[i] as number] === 0) continue;
    if (models !== null && models[variants.model[i] as number] === 0) continue;
    if (conditions !== null && conditions[variants.condition[i] as number] === 0) continue;
    // A unit without a type has code -1, which reads as undefined: it matches no list of types.
    if (types !== null && types[variants.vehicleType[i] as number] !== 1) continue;
    bits[i] = (bits[i] as number) | bit;
  }
}

/** For each value of a vocabulary whether the list has it; null for an empty list, which constrains nothing. */
function flagsOf(wanted: readonly string[], vocabulary: readonly string[]): Uint8Array | null {
  if (wanted.length === 0) return null;
  const set = new Set(wanted);
  return Uint8Array.from(vocabulary, (value) => (set.has(value) ? 1 : 0));
}
