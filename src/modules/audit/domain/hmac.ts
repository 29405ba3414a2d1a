import { hash } from 'node:crypto';
import { HASH_BYTES } from './log/hashes.js';

const BLOCK_BYTES = 64;
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c];
const VALUE_BYTES = 512;

// One buffer for each of the two hashes: hashing is synchronous.
const inner = Buffer.alloc(BLOCK_BYTES + VALUE_BYTES, INNER_PAD);
const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, OUTER_PAD);

/**
 * HMAC-SHA256 (RFC 2104) in hex. Two plain hashes take half the time of `createHmac`, which looks its parts up for each use; a
 * property test holds the two against each other.
 * @param key at most 64 bytes
 * @param text in UTF-8
 */
export function hmacSha256Hex(key: Uint8Array, text: string): string {
  if (key.length > BLOCK_BYTES) throw new RangeError('a key of HMAC-SHA256 is at most one block here');
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = i < key.length ? (key[i] as number) : 0;
    inner[i] = byte ^ INNER_PAD;
    outer[i] = byte ^ OUTER_PAD;
  }
  const length = Buffer.byteLength(text);
  const message = length <= VALUE_BYTES ? inner : Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.alloc(length)]);
  message.write(text, BLOCK_BYTES);
  outer.write(hash('sha256', message.subarray(0, BLOCK_BYTES + length), 'binary'), BLOCK_BYTES, 'binary');
  return hash('sha256', outer, 'hex');
}
