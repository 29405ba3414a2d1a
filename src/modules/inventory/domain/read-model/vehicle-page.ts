import type { KeysetPosition } from '../../../../kernel/cursor/keyset-position.js';
import { JsonBytes } from '../../../../kernel/json-bytes.js';
import { freshnessState } from '../vehicle-record/freshness.js';
import { markStale } from '../vehicle-record/mark-stale.js';
import { VEHICLE_TAILS } from '../vehicle-record/serialize-vehicle.js';
import type { InventoryColumns } from './inventory-columns.js';
import { markedTail } from './duplicate-mark.js';
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

/** Rooftops that a caller may see, whether they are searched or not; null for all. Only these are named in marks. */
export type VisibleRooftops = readonly string[] | null;

/** The circumstances that a document depends on. */
export interface Reading {
  /** Milliseconds. */
  readonly now: number;
  readonly visible: VisibleRooftops;
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
  reading: Reading,
): VehiclePage {
  const vehicles = Array.from(positions, (position) => documentAt(columns, position, reading));
  const length = vehicles.reduce((sum, vehicle) => sum + lengthOf(vehicle), 2 + Math.max(0, vehicles.length - 1));
  // Pages are kept: a slice of Node's shared pool would keep the whole pool block alive.
  const bytes = Buffer.allocUnsafeSlow(length);
  bytes[0] = OPEN;
  let at = 1;
  for (const vehicle of vehicles) {
    if (at > 1) bytes[at++] = COMMA;
    at = write(vehicle, bytes, at);
  }
  bytes[at] = CLOSE;
  const lastPosition = positions.at(-1);
  return {
    vehicles: JsonBytes.wrap(bytes),
    vehicleIds: Array.from(positions, (position) => keysetAt(columns, position, null).vehicleId),
    rooftopIds: [...new Set(vehicles.map(({ segment }) => segment.rooftopId))],
    last: lastPosition === undefined ? null : keysetAt(columns, lastPosition, sort),
    ...windowOf(columns, positions, reading.now),
  };
}

/** Writes one vehicle on its own. */
export function renderVehicle(columns: InventoryColumns, position: number, reading: Reading): RenderedVehicle {
  const vehicle = documentAt(columns, position, reading);
  const bytes = Buffer.allocUnsafeSlow(lengthOf(vehicle));
  write(vehicle, bytes, 0);
  return { vehicle: JsonBytes.wrap(bytes), ...windowOf(columns, [position], reading.now) };
}

/** A vehicle about to be written: its head in its segment, its state, and what follows the head. */
interface VehicleDocument {
  readonly segment: RooftopSegment;
  readonly index: number;
  readonly state: 'current' | 'stale';
  readonly tail: Buffer;
}

function documentAt(columns: InventoryColumns, position: number, { now, visible }: Reading): VehicleDocument {
  const number = columns.segment[position] as number;
  const state = freshnessState(columns.validUntil[position] as number, now);
  const others = visibleOthers(columns, position, visible);
  return {
    segment: columns.segments[number] as RooftopSegment,
    index: position - (columns.starts[number] as number),
    state,
    tail: others.length === 0 ? TAILS[state] : Buffer.from(markedTail(VEHICLE_TAILS[state], others)),
  };
}

/** The other rooftops that publish the VIN, as far as the caller may see them. */
function visibleOthers(columns: InventoryColumns, position: number, visible: VisibleRooftops): readonly string[] {
  const elsewhere = columns.duplicates.get(position) ?? [];
  const others = elsewhere.map((segment) => (columns.segments[segment] as RooftopSegment).rooftopId);
  return visible === null ? others : others.filter((rooftopId) => visible.includes(rooftopId));
}

function lengthOf({ segment, index, tail }: VehicleDocument): number {
  return segment.headLength(index) + tail.length;
}

function write({ segment, index, state, tail }: VehicleDocument, target: Buffer, at: number): number {
  const behindHead = segment.copyHead(index, target, at);
  if (state === 'stale') markStale(target.subarray(at, behindHead));
  return behindHead + tail.copy(target, behindHead);
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
