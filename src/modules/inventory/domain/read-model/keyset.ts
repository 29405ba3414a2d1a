import type { KeysetPosition } from '../../../../kernel/cursor/keyset-position.js';
import type { InventoryColumns } from './inventory-columns.js';
import type { SearchSort } from './normalised-query.js';
import type { RooftopSegment } from './rooftop-segment.js';

/** Says where a page that ended with the unit at `position` stopped. */
export function keysetAt(columns: InventoryColumns, position: number, sort: SearchSort | null): KeysetPosition {
  const segment = columns.segment[position] as number;
  const { rooftopId, parts } = columns.segments[segment] as RooftopSegment;
  const key = sort === null ? Number.NaN : (columns.orders[sort.field].keys[position] as number);
  return {
    key: Number.isNaN(key) ? null : key,
    rooftopId,
    vehicleId: parts.vehicleIds[position - (columns.starts[segment] as number)] as string,
  };
}

/**
 * Index in `positions`, which are in the order of `sort`, of the first unit behind a keyset position. The unit it names
 * need not exist any more.
 */
export function firstAfter(
  columns: InventoryColumns,
  positions: Uint32Array,
  sort: SearchSort | null,
  after: KeysetPosition,
): number {
  const threshold = firstPositionAfter(columns, after);
  const keys = sort === null ? null : columns.orders[sort.field].keys;
  const isAfter = (position: number): boolean => {
    if (keys === null || sort === null) return position >= threshold;
    const key = keys[position] as number;
    if (Number.isNaN(key)) return after.key !== null || position >= threshold;
    if (after.key === null) return false;
    if (key === after.key) return position >= threshold;
    return sort.order === 'asc' ? key > after.key : key < after.key;
  };
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(positions[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first position whose (rooftop id, vehicle id) is greater. */
function firstPositionAfter(columns: InventoryColumns, after: KeysetPosition): number {
  const index = columns.segments.findIndex((segment) => segment.rooftopId >= after.rooftopId);
  const segment = columns.segments[index];
  if (segment === undefined) return columns.variant.length;
  const start = columns.starts[index] as number;
  if (segment.rooftopId !== after.rooftopId) return start;
  const first = segment.firstFrom(after.vehicleId);
  return start + first + (segment.parts.vehicleIds[first] === after.vehicleId ? 1 : 0);
}
