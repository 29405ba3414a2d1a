import type { KeysetPosition } from '../../../../kernel/cursor/keyset-position.js';
import { JsonBytes } from '../../../../kernel/json-bytes.js';
import { freshnessState } from '../vehicle-record/freshness.js';
import { VEHICLE_TAILS } from '../vehicle-record/serialize-vehicle.js';
import type { InventoryColumns } from './inventory-columns.js';
import { keysetAt } from './keyset.js';
import type { SearchSort } from './normalised-query.js';
import type { RooftopSegment } from './rooftop-segment.js';

/** A page of vehicles as bytes, right for every instant from `from` to `until` (milliseconds, both included). */
export interface VehiclePage {
  /** A JSON array. */
  readonly vehicles: JsonBytes;
  readonly vehicleIds: readonly string[];
  /** Distinct, in order of appearance. */
  readonly rooftopIds: readonly string[];
  /** Where the page ended; null for an empty page. */
  readonly last: KeysetPosition | null;
  readonly from: number;
  readonly until: number;
}

/** One vehicle as bytes, right for every instant from `from` to `until` (milliseconds, both included). */
export interface RenderedVehicle {
  readonly vehicle: JsonBytes;
  readonly from: number;
  readonly until: number;
}

const TAILS = { current: Buffer.from(VEHICLE_TAILS.current), stale: Buffer.from(VEHICLE_TAILS.stale) } as const;
const OPEN = '['.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const CLOSE = ']'.charCodeAt(0);

/** Writes the vehicles at some positions, each with its state at `now`, and says until when those states hold. */
export function renderPage(
  columns: InventoryColumns,
  positions: Uint32Array,
  sort: SearchSort | null,
  now: number,
): VehiclePage {
  // Pages are kept: a slice of Node's shared pool would keep the whole pool block alive.
  const bytes = Buffer.allocUnsafeSlow(pageLength(columns, positions, now));
  bytes[0] = OPEN;
  let at = 1;
  for (const position of positions) {
    if (at > 1) bytes[at++] = COMMA;
    at = writeVehicle(columns, position, now, bytes, at);
  }
  bytes[at] = CLOSE;
  const lastPosition = positions.at(-1);
  return {
    vehicles: JsonBytes.wrap(bytes),
    vehicleIds: Array.from(positions, (position) => keysetAt(columns, position, null).vehicleId),
    rooftopIds: [...new Set(Array.from(positions, (position) => segmentAt(columns, position).rooftopId))],
    last: lastPosition === undefined ? null : keysetAt(columns, lastPosition, sort),
    ...windowOf(columns, positions, now),
  };
}

/** Writes one vehicle on its own. */
export function renderVehicle(columns: InventoryColumns, position: number, now: number): RenderedVehicle {
  const bytes = Buffer.allocUnsafeSlow(vehicleLength(columns, position, now));
  writeVehicle(columns, position, now, bytes, 0);
  return { vehicle: JsonBytes.wrap(bytes), ...windowOf(columns, [position], now) };
}

function pageLength(columns: InventoryColumns, positions: Uint32Array, now: number): number {
  let length = 2 + Math.max(0, positions.length - 1);
  for (const position of positions) length += vehicleLength(columns, position, now);
  return length;
}

function vehicleLength(columns: InventoryColumns, position: number, now: number): number {
  return segmentAt(columns, position).headLength(indexAt(columns, position)) + tailAt(columns, position, now).length;
}

function writeVehicle(columns: InventoryColumns, position: number, now: number, target: Buffer, at: number): number {
  const behindHead = segmentAt(columns, position).copyHead(indexAt(columns, position), target, at);
  return behindHead + tailAt(columns, position, now).copy(target, behindHead);
}

function tailAt(columns: InventoryColumns, position: number, now: number): Buffer {
  return TAILS[freshnessState(columns.validUntil[position] as number, now)];
}

function segmentAt(columns: InventoryColumns, position: number): RooftopSegment {
  return columns.segments[columns.segment[position] as number] as RooftopSegment;
}

function indexAt(columns: InventoryColumns, position: number): number {
  return position - (columns.starts[columns.segment[position] as number] as number);
}

/** A unit's state holds from the millisecond after its validity ended, or up to that end. */
function windowOf(
  columns: InventoryColumns,
  positions: Iterable<number>,
  now: number,
): { from: number; until: number } {
  let from = -Infinity;
  let until = Infinity;
  for (const position of positions) {
    const validUntil = columns.validUntil[position] as number;
    if (freshnessState(validUntil, now) === 'current') until = Math.min(until, validUntil);
    else from = Math.max(from, validUntil + 1);
  }
  return { from, until };
}
