import type { Pacer } from './pacer.js';

/** The units in order of one sort key: ascending and descending, unknown keys last in both, ties by position. */
export interface SortOrder {
  /** Key of each position; NaN where unknown. */
  readonly keys: Float64Array;
  readonly asc: Uint32Array;
  readonly desc: Uint32Array;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Keys are split below and above this many bits, so that each half fits integer arithmetic. */
const LOW_BITS = 22;

/**
 * Sorts positions by an integer key with a radix sort: linear, and stable, so that ties stay in order of position.
 * @param keys safe integers, NaN where unknown.
 */
export async function sortOrderOf(keys: Float64Array, pacer: Pacer): Promise<SortOrder> {
  const { known, unknown } = splitByKnown(keys);
  const asc = await radixSorted(known, keys, pacer);
  const desc = descending(asc, keys);
  await pacer.pause();
  return { keys, asc: joined(asc, unknown), desc: joined(desc, unknown) };
}

function splitByKnown(keys: Float64Array): { known: Uint32Array; unknown: Uint32Array } {
  const known = new Uint32Array(keys.length);
  const unknown = new Uint32Array(keys.length);
  let knowns = 0;
  let unknowns = 0;
  for (let position = 0; position < keys.length; position++) {
    if (Number.isNaN(keys[position])) unknown[unknowns++] = position;
    else known[knowns++] = position;
  }
  return { known: known.subarray(0, knowns), unknown: unknown.subarray(0, unknowns) };
}

async function radixSorted(positions: Uint32Array, keys: Float64Array, pacer: Pacer): Promise<Uint32Array> {
  let min = Infinity;
  let max = -Infinity;
  for (const position of positions) {
    const key = keys[position] as number;
    if (key < min) min = key;
    if (key > max) max = key;
  }
  const low = new Uint32Array(keys.length);
  const high = new Uint32Array(keys.length);
  for (const position of positions) {
    const key = (keys[position] as number) - min;
    high[position] = Math.floor(key / 2 ** LOW_BITS);
    low[position] = key % 2 ** LOW_BITS;
  }
  await pacer.pause();
  const range = positions.length === 0 ? 0 : max - min;
  const byLow = await sortedByDigits(positions, low, Math.min(range, 2 ** LOW_BITS - 1), pacer);
  return sortedByDigits(byLow, high, Math.floor(range / 2 ** LOW_BITS), pacer);
}

async function sortedByDigits(
  order: Uint32Array,
  digits: Uint32Array,
  max: number,
  pacer: Pacer,
): Promise<Uint32Array> {
  let current = order;
  for (let shift = 0; max / 2 ** shift >= 1; shift += DIGIT_BITS) {
    current = sortedByDigit(current, digits, shift);
    await pacer.pause();
  }
  return current;
}

function sortedByDigit(order: Uint32Array, digits: Uint32Array, shift: number): Uint32Array {
  const ends = new Uint32Array(DIGITS + 1);
  for (const position of order) {
    const bucket = (((digits[position] as number) >>> shift) & (DIGITS - 1)) + 1;
    ends[bucket] = (ends[bucket] as number) + 1;
  }
  for (let bucket = 1; bucket <= DIGITS; bucket++) {
    ends[bucket] = (ends[bucket] as number) + (ends[bucket - 1] as number);
  }
  const sorted = new Uint32Array(order.length);
  for (const position of order) {
    const bucket = ((digits[position] as number) >>> shift) & (DIGITS - 1);
    const at = ends[bucket] as number;
    sorted[at] = position;
    ends[bucket] = at + 1;
  }
  return sorted;
}

/** The runs of equal keys from last to first, each run in its own order. */
function descending(asc: Uint32Array, keys: Float64Array): Uint32Array {
  const desc = new Uint32Array(asc.length);
  let at = 0;
  let end = asc.length;
  while (end > 0) {
    const key = keys[asc[end - 1] as number];
    let start = end - 1;
    while (start > 0 && keys[asc[start - 1] as number] === key) start--;
    for (let i = start; i < end; i++) desc[at++] = asc[i] as number;
    end = start;
  }
  return desc;
}

function joined(first: Uint32Array, second: Uint32Array): Uint32Array {
  const whole = new Uint32Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
