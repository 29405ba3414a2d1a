import { nodeHash } from './hashes.js';

/** Root of the perfect subtree at a level whose subtrees are counted by `index` from the left. */
export type SubtreeRoot = (level: number, index: number) => Promise<Uint8Array>;

/**
 * Siblings from a leaf up to the root of the tree of `size` leaves (RFC 9162 §2.1.3.1).
 * @throws RangeError when the tree has no such leaf.
 */
export async function inclusionProof(index: number, size: number, at: SubtreeRoot): Promise<readonly Uint8Array[]> {
  if (!(index >= 0 && index < size)) throw new RangeError('the tree has no such leaf');
  return path(index, 0, size, at);
}

/**
 * What shows that the tree of `second` leaves begins with the tree of `first` leaves (RFC 9162 §2.1.4.1).
 * @throws RangeError unless 0 < first ≤ second.
 */
export async function consistencyProof(first: number, second: number, at: SubtreeRoot): Promise<readonly Uint8Array[]> {
  if (!(first > 0 && first <= second)) throw new RangeError('sizes must rise from 1');
  return first === second ? [] : subproof(first, 0, second, true, at);
}

/** Root of the leaves from `start` to `end`, `start` being aligned to the tree that it is part of. */
export async function rangeRoot(start: number, end: number, at: SubtreeRoot): Promise<Uint8Array> {
  const size = end - start;
  const level = Math.log2(size);
  if (Number.isInteger(level)) return at(level, start / size);
  const split = splitOf(size);
  return nodeHash(await rangeRoot(start, start + split, at), await rangeRoot(start + split, end, at));
}

async function path(index: number, start: number, end: number, at: SubtreeRoot): Promise<Uint8Array[]> {
  if (end - start === 1) return [];
  const middle = start + splitOf(end - start);
  return index < middle
    ? [...(await path(index, start, middle, at)), await rangeRoot(middle, end, at)]
    : [...(await path(index, middle, end, at)), await rangeRoot(start, middle, at)];
}

async function subproof(
  first: number,
  start: number,
  end: number,
  whole: boolean,
  at: SubtreeRoot,
): Promise<Uint8Array[]> {
  if (first === end - start) return whole ? [] : [await rangeRoot(start, end, at)];
  const split = splitOf(end - start);
  const middle = start + split;
  return first <= split
    ? [...(await subproof(first, start, middle, whole, at)), await rangeRoot(middle, end, at)]
    : [...(await subproof(first - split, middle, end, false, at)), await rangeRoot(start, middle, at)];
}

/** Largest power of two below `size`. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** Whether a leaf hash is the one at `index` of the tree with this root (RFC 9162 §2.1.3.2). */
export function includes(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!(index >= 0 && index < size)) return false;
  let [position, last] = [index, size - 1];
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      hash = nodeHash(sibling, hash);
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && equal(hash, root);
}

/** Whether the tree with the second root begins with the tree with the first (RFC 9162 §2.1.4.2). */
export function isConsistent(
  first: number,
  second: number,
  proof: readonly Uint8Array[],
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
): boolean {
  if (!(first > 0 && first <= second)) return false;
  if (first === second) return proof.length === 0 && equal(firstRoot, secondRoot);
  const hashes = isPowerOfTwo(first) ? [firstRoot, ...proof] : proof;
  const [seed, ...siblings] = hashes;
  if (seed === undefined) return false;
  let [position, last] = [first - 1, second - 1];
  while (position % 2 === 1) [position, last] = [half(position), half(last)];
  let [old, current] = [seed, seed];
  for (const sibling of siblings) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      old = nodeHash(sibling, old);
      current = nodeHash(sibling, current);
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else {
      current = nodeHash(current, sibling);
    }
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && equal(old, firstRoot) && equal(current, secondRoot);
}

const half = (n: number): number => Math.floor(n / 2);
const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));
const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
