import { CompactRange } from '../../audit/index.js';
import type { Slice } from './disposer.js';

const BYTES = 32;

/** The Merkle tree over the keyed hashes of what goes, in the order in which it goes: the same for preview and run. */
export class TakenTree {
  private readonly range = new CompactRange();

  /** Goes on where a worker left off. @param stored what {@link bytes} gave */
  static of(stored: Uint8Array): TakenTree {
    const tree = new TakenTree();
    for (let at = 0; at < stored.length; at += BYTES + 1)
      tree.range.appendSubtree(stored[at] ?? 0, stored.slice(at + 1, at + 1 + BYTES));
    return tree;
  }

  /** Takes in what goes of a slice: all but what is held or in use. */
  add({ hashes, heldAt, usedAt }: Pick<Slice, 'hashes' | 'heldAt' | 'usedAt'>): void {
    const staying = new Set([...heldAt, ...usedAt]);
    for (let i = 0; i < hashes.length / BYTES; i++)
      if (!staying.has(i)) this.range.add(hashes.subarray(BYTES * i, BYTES * (i + 1)));
  }

  get size(): number {
    return this.range.size;
  }

  /** Hex. */
  root(): string {
    return Buffer.from(this.range.root()).toString('hex');
  }

  /** The right edge, the largest subtree first: a byte for its level, then its root. */
  bytes(): Buffer {
    return Buffer.concat(this.range.subtrees().flatMap(({ level, hash }) => [Uint8Array.of(level), hash]));
  }
}
