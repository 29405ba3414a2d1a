import { hash } from 'node:crypto';

/** A hash as a string of 32 characters, one a byte: `crypto.hash` gives it in half the time of a Buffer. */
type Hash = string;

const HASH_BYTES = 32;
const EMPTY_ROOT: Hash = hash('sha256', '', 'binary');

/** 0x01 ‖ left ‖ right, filled anew for each node. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/**
 * The Merkle root of the records that a hold lists (RFC 9162 §2.1.1): a leaf is SHA-256(0x00 ‖ category ‖ 0x0A ‖ record id),
 * a node SHA-256(0x01 ‖ left ‖ right), and the leaves stand in the order of their bytes. Whoever has the list can compute it.
 */
export class HoldRoot {
  /** The right edge of the tree: by level the root of its perfect subtree; undefined where the size has no such bit. */
  private readonly edge: (Hash | undefined)[] = [];
  private covered = 0;

  /** Takes records in, in their order. @param leaves 32 bytes for each */
  add(leaves: Uint8Array): void {
    const hashes = Buffer.from(leaves.buffer, leaves.byteOffset, leaves.byteLength);
    for (let at = 0; at < hashes.length; at += HASH_BYTES) this.append(hashes.toString('latin1', at, at + HASH_BYTES));
    this.covered += hashes.length / HASH_BYTES;
  }

  /** Of everything so far. */
  count(): { readonly covered: number; readonly root: Uint8Array } {
    let root: Hash | undefined;
    for (const subtree of this.edge)
      if (subtree !== undefined) root = root === undefined ? subtree : nodeHash(subtree, root);
    return { covered: this.covered, root: Buffer.from(root ?? EMPTY_ROOT, 'latin1') };
  }

  private append(leaf: Hash): void {
    let root = leaf;
    let level = 0;
    for (let left = this.edge[0]; left !== undefined; left = this.edge[level]) {
      this.edge[level++] = undefined;
      root = nodeHash(left, root);
    }
    this.edge[level] = root;
  }
}

function nodeHash(left: Hash, right: Hash): Hash {
  node.write(left + right, 1, 'latin1');
  return hash('sha256', node, 'binary');
}
