import type { DuplicateVins } from './duplicate-vins.js';
import { findDuplicateVins } from './duplicate-vins.js';
import { NameWords } from './name-words.js';
import type { SortField } from './normalised-query.js';
import type { Pacer } from './pacer.js';
import type { RooftopSegment } from './rooftop-segment.js';
import type { SortOrder } from './sort-orders.js';
import { sortOrderOf } from './sort-orders.js';
import type { VariantColumns } from './variant-table.js';
import { VariantTable } from './variant-table.js';
import { Vocabulary } from './vocabulary.js';

/**
 * All units of an organization in columns. A unit's position is its place in the order of rooftop id, then vehicle id.
 * Units of different meaning as in `SegmentColumns`; codes are those of the tables here.
 */
export interface InventoryColumns {
  /** Ascending by rooftop id. */
  readonly segments: readonly RooftopSegment[];
  /** Position of each segment's first unit, and the number of units at the end. */
  readonly starts: Uint32Array;
  readonly makes: Vocabulary;
  readonly models: Vocabulary;
  readonly makeWords: NameWords;
  readonly modelWords: NameWords;
  readonly trims: Vocabulary;
  readonly variants: VariantColumns;
  readonly currencies: Vocabulary;
  /** Index of the segment. */
  readonly segment: Uint32Array;
  readonly variant: Uint32Array;
  readonly trim: Uint32Array;
  readonly priceMinor: Float64Array;
  readonly currency: Uint16Array;
  readonly odometer: Float64Array;
  readonly standing: Uint8Array;
  readonly ageDays: Float64Array;
  readonly observedAt: Float64Array;
  readonly validUntil: Float64Array;
  readonly orders: Readonly<Record<SortField, SortOrder>>;
  readonly duplicates: DuplicateVins;
}

type UnitColumns = Omit<InventoryColumns, 'makes' | 'models' | `${string}Words` | 'variants' | 'orders' | 'duplicates'>;

/**
 * Joins segments into columns, in slices that let the event loop breathe.
 * @throws Error when a rooftop occurs twice.
 */
export async function joinSegments(segments: readonly RooftopSegment[], pacer: Pacer): Promise<InventoryColumns> {
  const sorted = [...segments].sort((a, b) => (a.rooftopId < b.rooftopId ? -1 : 1));
  const columns = emptyColumns(sorted);
  const table = new VariantTable();
  for (let index = 0; index < sorted.length; index++) {
    const segment = sorted[index] as RooftopSegment;
    if (sorted[index - 1]?.rooftopId === segment.rooftopId) throw new Error('a rooftop occurs twice in an inventory');
    fill(columns, table, index, segment);
    await pacer.pause();
  }
  const { makes, models } = table;
  for (const names of [makes, models, columns.trims]) {
    names.prepare();
    await pacer.pause();
  }
  const variants = table.columns();
  await pacer.pause();
  return {
    ...columns,
    makes,
    models,
    makeWords: new NameWords(makes),
    modelWords: new NameWords(models),
    variants,
    orders: await ordersOf(columns, variants.year, pacer),
    duplicates: await findDuplicateVins(sorted, columns.starts, pacer),
  };
}

function emptyColumns(segments: readonly RooftopSegment[]): UnitColumns {
  const starts = new Uint32Array(segments.length + 1);
  segments.forEach((segment, index) => {
    starts[index + 1] = (starts[index] as number) + segment.size;
  });
  const size = starts[segments.length] as number;
  return {
    segments,
    starts,
    trims: new Vocabulary(),
    currencies: new Vocabulary(),
    segment: new Uint32Array(size),
    variant: new Uint32Array(size),
    trim: new Uint32Array(size),
    priceMinor: new Float64Array(size),
    currency: new Uint16Array(size),
    odometer: new Float64Array(size),
    standing: new Uint8Array(size),
    ageDays: new Float64Array(size),
    observedAt: new Float64Array(size),
    validUntil: new Float64Array(size),
  };
}

function fill(columns: UnitColumns, table: VariantTable, index: number, segment: RooftopSegment): void {
  const start = columns.starts[index] as number;
  const { variants, trims, currencies, columns: own } = segment.parts;
  columns.segment.fill(index, start, start + segment.size);
  columns.priceMinor.set(own.priceMinor, start);
  columns.odometer.set(own.odometer, start);
  columns.standing.set(own.standing, start);
  columns.ageDays.set(own.ageDays, start);
  columns.observedAt.set(own.observedAt, start);
  columns.validUntil.set(own.validUntil, start);
  const variantCodes = table.addAll(variants);
  const trimCodes = Uint32Array.from(trims, (trim) => columns.trims.add(trim));
  const currencyCodes = Uint16Array.from(currencies, (currency) => columns.currencies.add(currency));
  for (let i = 0; i < segment.size; i++) {
    columns.variant[start + i] = variantCodes[own.variant[i] as number] as number;
    columns.trim[start + i] = trimCodes[own.trim[i] as number] as number;
    columns.currency[start + i] = currencyCodes[own.currency[i] as number] as number;
  }
}

async function ordersOf(
  columns: UnitColumns,
  yearOfVariant: Int32Array,
  pacer: Pacer,
): Promise<InventoryColumns['orders']> {
  const years = new Float64Array(columns.variant.length);
  for (let i = 0; i < years.length; i++) years[i] = yearOfVariant[columns.variant[i] as number] as number;
  await pacer.pause();
  return {
    advertised_price: await sortOrderOf(columns.priceMinor, pacer),
    year: await sortOrderOf(years, pacer),
    odometer: await sortOrderOf(columns.odometer, pacer),
    inventory_age_days: await sortOrderOf(columns.ageDays, pacer),
    observed_at: await sortOrderOf(columns.observedAt, pacer),
  };
}
