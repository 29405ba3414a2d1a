import type { InventoryColumns } from './inventory-columns.js';
import type { Found } from './narrow-units.js';
import { narrow } from './narrow-units.js';
import type { NormalisedFilters, NormalisedQuery, SearchSort } from './normalised-query.js';
import type { RooftopSegment } from './rooftop-segment.js';

/** Evaluates a query over the columns. @returns the matching positions in the order of its sort. */
export function selectUnits(columns: InventoryColumns, query: NormalisedQuery): Uint32Array {
  const segments = segmentsOf(columns, query.rooftopIds);
  const { vin, stockNumber } = query.filters;
  const found =
    vin === null && stockNumber === null ? everyUnit(columns, segments) : codedUnits(columns, segments, query.filters);
  narrow(columns, segments, query, found);
  return inOrder(columns, found, query.sort);
}

function segmentsOf(columns: InventoryColumns, rooftopIds: readonly string[] | null): readonly number[] {
  if (rooftopIds === null) return columns.segments.map((_, index) => index);
  const wanted = new Set(rooftopIds);
  return columns.segments.flatMap((segment, index) => (wanted.has(segment.rooftopId) ? [index] : []));
}

function everyUnit({ starts }: InventoryColumns, segments: readonly number[]): Found {
  let size = 0;
  for (const segment of segments) size += (starts[segment + 1] as number) - (starts[segment] as number);
  const positions = new Uint32Array(size);
  let count = 0;
  for (const segment of segments) {
    const end = starts[segment + 1] as number;
    for (let position = starts[segment] as number; position < end; position++) positions[count++] = position;
  }
  return { positions, count };
}

/** The few units that have the VIN or stock number asked for, by look-up. */
function codedUnits(
  columns: InventoryColumns,
  segments: readonly number[],
  { vin, stockNumber }: NormalisedFilters,
): Found {
  const positions: number[] = [];
  for (const segment of segments) {
    const { byVin, byStock } = (columns.segments[segment] as RooftopSegment).parts;
    const withVin = vin === null ? null : byVin.allOf(vin);
    const withStock = stockNumber === null ? null : byStock.allOf(stockNumber);
    const both =
      withVin === null ? withStock : withStock === null ? withVin : withVin.filter((i) => withStock.includes(i));
    for (const index of both ?? []) positions.push((columns.starts[segment] as number) + index);
  }
  return { positions: Uint32Array.from(positions), count: positions.length };
}

function inOrder(columns: InventoryColumns, { positions, count }: Found, sort: SearchSort | null): Uint32Array {
  if (sort === null) return positions.slice(0, count);
  const order = columns.orders[sort.field][sort.order];
  if (count === order.length) return order;
  const wanted = new Uint8Array(order.length);
  for (let i = 0; i < count; i++) wanted[positions[i] as number] = 1;
  const ordered = new Uint32Array(count);
  for (let i = 0, at = 0; at < count; i++) {
    const position = order[i] as number;
    if (wanted[position] === 1) ordered[at++] = position;
  }
  return ordered;
}
