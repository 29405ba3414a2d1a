import type { CodeIndex } from './code-index.js';
import type { CodeLookUp } from './code-look-up.js';
import { ABSENT } from './code-look-up.js';
import type { HeadSlab } from './head-slab.js';
import type { UnitNotes } from './unit-notes.js';
import type { VariantTable } from './variant-table.js';

/** One value per unit, in the order of the segment: ascending vehicle id. */
export interface SegmentColumns {
  /** Index into the segment's variants. */
  readonly variant: Uint32Array;
  /** Index into the segment's trims. */
  readonly trim: Uint32Array;
  readonly priceMinor: Float64Array;
  /** Index into the segment's currencies. */
  readonly currency: Uint16Array;
  /** Millimetres; NaN where unknown. */
  readonly odometer: Float64Array;
  /** Index into STANDINGS. */
  readonly standing: Uint8Array;
  /** Whole days in stock, as published; NaN where the unit publishes no used-vehicle summary. */
  readonly ageDays: Float64Array;
  readonly vinHash: Uint32Array;
  /** Milliseconds. */
  readonly observedAt: Float64Array;
  /** Milliseconds: the last instant at which the unit is current. */
  readonly validUntil: Float64Array;
  readonly headChunk: Uint16Array;
  readonly headStart: Uint32Array;
  readonly headLength: Uint32Array;
}

/** What a segment is made of (`SegmentBuilder`). */
export interface SegmentParts {
  readonly rooftopId: string;
  readonly inventorySlaSeconds: number;
  readonly snapshotId: string;
  readonly feedName: string;
  /** Ascending. */
  readonly vehicleIds: readonly string[];
  readonly vins: readonly string[];
  readonly variants: VariantTable;
  /** Distinct trims; the empty text is "none". */
  readonly trims: readonly string[];
  readonly currencies: readonly string[];
  readonly columns: SegmentColumns;
  readonly codeIndex: CodeIndex;
  readonly heads: HeadSlab;
  readonly byVin: CodeLookUp;
  readonly byStock: CodeLookUp;
  /** By vehicle id. */
  readonly notes: ReadonlyMap<string, UnitNotes>;
}

/** The published units of one rooftop: immutable, built once, shared by every later version of the inventory. */
export class RooftopSegment {
  readonly rooftopId: string;

  constructor(readonly parts: SegmentParts) {
    this.rooftopId = parts.rooftopId;
  }

  get size(): number {
    return this.parts.vehicleIds.length;
  }

  /** Index of a vehicle id, or ABSENT. */
  indexOfVehicle(vehicleId: string): number {
    const index = this.firstFrom(vehicleId);
    return this.parts.vehicleIds[index] === vehicleId ? index : ABSENT;
  }

  /** Index of the first unit whose vehicle id is not before the given one; `size` when there is none. */
  firstFrom(vehicleId: string): number {
    let low = 0;
    let high = this.parts.vehicleIds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.parts.vehicleIds[middle] as string) < vehicleId) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Length of a unit's head, bytes. */
  headLength(index: number): number {
    return this.parts.columns.headLength[index] as number;
  }

  /** Copies a unit's head to `target` at `at`. @returns the offset behind it. */
  copyHead(index: number, target: Buffer, at: number): number {
    const chunk = this.parts.heads.chunks[this.parts.columns.headChunk[index] as number] as Buffer;
    const start = this.parts.columns.headStart[index] as number;
    return at + chunk.copy(target, at, start, start + this.headLength(index));
  }
}
