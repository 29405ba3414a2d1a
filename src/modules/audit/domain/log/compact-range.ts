import { EMPTY_ROOT, nodeHash } from './hashes.js';

/** A perfect subtree that has just become complete: `index` counts the subtrees of its level from the left. */
export interface CompletedNode {
  readonly level: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

/**
 * The right edge of an append-only tree: one root for each perfect subtree, which is all that appending and the root of the
 * whole need. At most 53 hashes, whatever the size.
 */
export class CompactRange {
  /** Roots by level; undefined where the size has no such bit. */
  private readonly edge: (Uint8Array | undefined)[] = [];
  private leaves = 0;

  /** Leaves so far. */
  get size(): number {
    return this.leaves;
  }

  /** Takes a leaf hash in. @returns the subtrees that it completes, lowest first, the leaf itself included. */
  append(leaf: Uint8Array): readonly CompletedNode[] {
    const index = this.leaves++;
    const completed: CompletedNode[] = [{ level: 0, index, hash: leaf }];
    let hash = leaf;
    let level = 0;
    for (let left = this.edge[0]; left !== undefined; left = this.edge[level]) {
      this.edge[level] = undefined;
      hash = nodeHash(left, hash);
      level++;
      completed.push({ level, index: Math.floor(index / 2 ** level), hash });
    }
    this.edge[level] = hash;
    return completed;
  }

  /** Takes a leaf hash in, where nobody asks for the subtrees that it completes: half the cost. */
  add(leaf: Uint8Array): void {
    this.leaves++;
    this.carry(0, leaf);
  }

  /**
   * Takes a perfect subtree in as one hash.
   * @throws RangeError where a subtree of that level cannot stand: the size must be a multiple of its leaves.
   */
  appendSubtree(level: number, hash: Uint8Array): void {
    if (this.leaves % 2 ** level !== 0) throw new RangeError('a subtree stands at a multiple of its size');
    this.leaves += 2 ** level;
    this.carry(level, hash);
  }

  private carry(level: number, hash: Uint8Array): void {
    let root = hash;
    let at = level;
    for (let left = this.edge[at]; left !== undefined; left = this.edge[at]) {
      this.edge[at] = undefined;
      root = nodeHash(left, root);
      at++;
    }
    this.edge[at] = root;
  }

  /** A range of its own that stands where this one stands. */
  copy(): CompactRange {
    const copy = new CompactRange();
    copy.leaves = this.leaves;
    copy.edge.push(...this.edge);
    return copy;
  }

  /** Roots of its perfect subtrees, the largest first: with the size everything that {@link appendSubtree} needs to go on. */
  subtrees(): readonly { readonly level: number; readonly hash: Uint8Array }[] {
    return this.edge.flatMap((hash, level) => (hash === undefined ? [] : [{ level, hash }])).toReversed();
  }

  /** The RFC 9162 root of everything so far. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    for (const subtree of this.edge) {
      if (subtree === undefined) continue;
      root = root === undefined ? subtree : nodeHash(subtree, root);
    }
    return root ?? EMPTY_ROOT;
  }

  /**
   * The range of a tree of `size` leaves, from the roots of its perfect subtrees.
   * @param subtreeRoot root of the perfect subtree at a level and index; asked once for each bit of the size
   */
  static async of(
    size: number,
    subtreeRoot: (level: number, index: number) => Promise<Uint8Array>,
  ): Promise<CompactRange> {
    const range = new CompactRange();
    range.leaves = size;
    for (let level = 0, rest = size; rest > 0; level++, rest = Math.floor(rest / 2))
      if (rest % 2 === 1) range.edge[level] = await subtreeRoot(level, rest - 1);
    return range;
  }
}
