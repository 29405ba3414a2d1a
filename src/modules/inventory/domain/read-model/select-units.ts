import type { InventoryColumns } from './inventory-columns.js';
import type { NormalisedQuery, SearchSort } from './normalised-query.js';
import { RowFilter } from './row-filter.js';

/** The positions that match a query, in its order, and the segments they lie in. */
export interface Selection {
  readonly positions: Uint32Array;
  readonly segments: readonly number[];
}

/** Evaluates a query over the columns: filter in position order, then bring into the order of the sort. */
export function selectUnits(columns: InventoryColumns, query: NormalisedQuery): Selection {
  const asked = segmentsOf(columns, query.rooftopIds);
  const filter = new RowFilter(columns, asked, query);
  const found = new Uint32Array(columns.variant.length);
  const segments: number[] = [];
  let count = 0;
  for (const segment of asked) {
    const before = count;
    const candidates = candidatesOf(columns, segment, query);
    count = candidates === null ? scan(columns, segment, filter, found, count) : pick(candidates, filter, found, count);
    if (count > before) segments.push(segment);
  }
  return { positions: inOrder(columns, found.subarray(0, count), query.sort), segments };
}

function segmentsOf(columns: InventoryColumns, rooftopIds: readonly string[] | null): readonly number[] {
  if (rooftopIds === null) return columns.segments.map((_, index) => index);
  const wanted = new Set(rooftopIds);
  return columns.segments.flatMap((segment, index) => (wanted.has(segment.rooftopId) ? [index] : []));
}

/** The few positions that can match when a VIN or stock number is asked for; null when every unit has to be looked at. */
function candidatesOf(columns: InventoryColumns, segment: number, query: NormalisedQuery): readonly number[] | null {
  const { vin, stockNumber } = query.filters;
  const parts = columns.segments[segment]?.parts;
  if (parts === undefined || (vin === null && stockNumber === null)) return null;
  const start = columns.starts[segment] as number;
  const byVin = vin === null ? null : parts.byVin.allOf(vin);
  const byStock = stockNumber === null ? null : parts.byStock.allOf(stockNumber);
  const both = byVin === null ? (byStock ?? []) : byStock === null ? byVin : byVin.filter((i) => byStock.includes(i));
  return both.map((index) => start + index);
}

function scan(columns: InventoryColumns, segment: number, filter: RowFilter, found: Uint32Array, from: number): number {
  const end = columns.starts[segment + 1] as number;
  let count = from;
  for (let position = columns.starts[segment] as number; position < end; position++) {
    if (filter.accepts(position)) found[count++] = position;
  }
  return count;
}

function pick(candidates: readonly number[], filter: RowFilter, found: Uint32Array, from: number): number {
  let count = from;
  for (const position of candidates) if (filter.accepts(position)) found[count++] = position;
  return count;
}

function inOrder(columns: InventoryColumns, found: Uint32Array, sort: SearchSort | null): Uint32Array {
  if (sort === null) return found.slice();
  const order = columns.orders[sort.field][sort.order];
  if (found.length === order.length) return order;
  const wanted = new Uint8Array(order.length);
  for (const position of found) wanted[position] = 1;
  const ordered = new Uint32Array(found.length);
  let count = 0;
  for (let i = 0; count < ordered.length; i++) {
    const position = order[i] as number;
    if (wanted[position] === 1) ordered[count++] = position;
  }
  return ordered;
}
