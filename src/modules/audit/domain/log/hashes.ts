import { createHash, hash } from 'node:crypto';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

// One buffer for all nodes: hashing is synchronous, and making a buffer for each costs more than the hash.
const NODE = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** Root of a tree without leaves (RFC 9162 §2.1.1). */
export const EMPTY_ROOT: Buffer = createHash('sha256').digest();

/** SHA-256. Asked for as text and written into a buffer: `hash` takes three times as long to make a buffer itself. */
export function sha256(bytes: Uint8Array): Buffer {
  const digest = Buffer.allocUnsafe(HASH_BYTES);
  digest.write(hash('sha256', bytes, 'binary'), 'binary');
  return digest;
}

/** An inner node: SHA-256(0x01 ‖ left ‖ right). Leaves have 0x00 in front, so that neither passes for the other. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (left.length + right.length !== 2 * HASH_BYTES) return sha256(Buffer.concat([NODE.subarray(0, 1), left, right]));
  NODE.set(left, 1);
  NODE.set(right, 1 + left.length);
  return sha256(NODE);
}

/** Root of a perfect tree over a power of two of hashes. @throws RangeError for any other number. */
export function perfectRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0 || (hashes.length & (hashes.length - 1)) !== 0)
    throw new RangeError('a perfect tree has a power of two of leaves');
  let row = hashes;
  while (row.length > 1) {
    const above: Uint8Array[] = [];
    for (let i = 0; i < row.length; i += 2) above.push(nodeHash(row[i] as Uint8Array, row[i + 1] as Uint8Array));
    row = above;
  }
  return row[0] as Uint8Array;
}
