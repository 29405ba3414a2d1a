import type { Pacer } from './pacer.js';
import type { RooftopSegment } from './rooftop-segment.js';

/** For each position whose VIN other rooftops publish too, the segments of those, ascending. */
export type DuplicateVins = ReadonlyMap<number, readonly number[]>;

/** 32 bits of a VIN (FNV-1a). */
export function vinHash(vin: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < vin.length; at++) hash = Math.imul(hash ^ vin.charCodeAt(at), 0x0100_0193);
  return hash >>> 0;
}

/**
 * Finds the VINs that more than one rooftop publishes. Such units stay records of their own, each with its own source and
 * freshness (DAP-CORE-033); they are only marked. Hashes were taken when the segments were built, so this is one pass over
 * numbers: strings are compared where hashes agree.
 * @param starts position of each segment's first unit, and the number of units at the end.
 */
export async function findDuplicateVins(
  segments: readonly RooftopSegment[],
  starts: Uint32Array,
  pacer: Pacer,
): Promise<DuplicateVins> {
  const holders = new Map<string, Set<number>>();
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2((starts[segments.length] as number) * 2 + 2)));
  const owners = new Uint16Array(slots.length);
  for (let segment = 0; segment < segments.length; segment++) {
    enter(segments, segment, { slots, owners, starts, holders });
    await pacer.pause();
  }
  return byPosition(segments, starts, holders);
}

interface Table {
  /** Position plus one; 0 is free. */
  readonly slots: Uint32Array;
  /** Segment of the position in each slot. */
  readonly owners: Uint16Array;
  readonly starts: Uint32Array;
  /** Segments of each VIN that occurs more than once. */
  readonly holders: Map<string, Set<number>>;
}

function enter(segments: readonly RooftopSegment[], segment: number, { slots, owners, starts, holders }: Table): void {
  const { vins, columns } = (segments[segment] as RooftopSegment).parts;
  const mask = slots.length - 1;
  const start = starts[segment] as number;
  for (let index = 0; index < vins.length; index++) {
    const hash = columns.vinHash[index] as number;
    let slot = hash & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const owner = owners[slot] as number;
      const other = (segments[owner] as RooftopSegment).parts;
      const otherIndex = (slots[slot] as number) - 1 - (starts[owner] as number);
      if (other.columns.vinHash[otherIndex] !== hash || other.vins[otherIndex] !== vins[index]) continue;
      const vin = vins[index] as string;
      holders.set(vin, (holders.get(vin) ?? new Set([owner])).add(segment));
      break;
    }
    if (slots[slot] !== 0) continue;
    slots[slot] = start + index + 1;
    owners[slot] = segment;
  }
}

function byPosition(
  segments: readonly RooftopSegment[],
  starts: Uint32Array,
  holders: ReadonlyMap<string, ReadonlySet<number>>,
): DuplicateVins {
  const others = new Map<number, readonly number[]>();
  for (const [vin, owners] of holders) {
    if (owners.size < 2) continue;
    for (const own of owners) {
      const elsewhere = [...owners].filter((owner) => owner !== own);
      const indices = (segments[own] as RooftopSegment).parts.byVin.allOf(vin);
      for (const index of indices) others.set((starts[own] as number) + index, elsewhere);
    }
  }
  return others;
}
