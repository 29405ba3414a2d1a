import type { KeysetPosition } from './keyset-position.js';

/** Bytes of the query hash and of the context hash. */
export const CURSOR_HASH_BYTES = 16;

/** What a cursor says. Times are milliseconds since the Unix epoch. */
export interface CursorPayload {
  readonly keyId: number;
  readonly queryHash: Uint8Array;
  readonly contextHash: Uint8Array;
  /** Version of the inventory the page was cut from; for diagnosis, a newer version continues the paging. */
  readonly snapshotVersion: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly position: KeysetPosition;
}

const FORMAT_VERSION = 1;
const QUERY_HASH_AT = 2;
const CONTEXT_HASH_AT = QUERY_HASH_AT + CURSOR_HASH_BYTES;
const SNAPSHOT_AT = CONTEXT_HASH_AT + CURSOR_HASH_BYTES;
const ISSUED_AT = SNAPSHOT_AT + 8;
const EXPIRES_AT = ISSUED_AT + 8;
const HAS_KEY_AT = EXPIRES_AT + 8;
const KEY_AT = HAS_KEY_AT + 1;
const IDS_AT = KEY_AT + 8;

/**
 * Writes a payload: fixed-width members, then both ids with a length byte each.
 * @throws RangeError when a hash has the wrong length or an id is longer than 255 bytes.
 */
export function encodeCursor(payload: CursorPayload): Buffer {
  const rooftopId = Buffer.from(payload.position.rooftopId, 'utf8');
  const vehicleId = Buffer.from(payload.position.vehicleId, 'utf8');
  const bytes = Buffer.alloc(IDS_AT + 2 + rooftopId.length + vehicleId.length);
  bytes.writeUInt8(FORMAT_VERSION, 0);
  bytes.writeUInt8(payload.keyId, 1);
  bytes.set(ofHashLength(payload.queryHash), QUERY_HASH_AT);
  bytes.set(ofHashLength(payload.contextHash), CONTEXT_HASH_AT);
  bytes.writeDoubleBE(payload.snapshotVersion, SNAPSHOT_AT);
  bytes.writeDoubleBE(payload.issuedAt, ISSUED_AT);
  bytes.writeDoubleBE(payload.expiresAt, EXPIRES_AT);
  bytes.writeUInt8(payload.position.key === null ? 0 : 1, HAS_KEY_AT);
  bytes.writeDoubleBE(payload.position.key ?? 0, KEY_AT);
  bytes.writeUInt8(rooftopId.length, IDS_AT);
  bytes.set(rooftopId, IDS_AT + 1);
  bytes.writeUInt8(vehicleId.length, IDS_AT + 1 + rooftopId.length);
  bytes.set(vehicleId, IDS_AT + 2 + rooftopId.length);
  return bytes;
}

/** Reads a payload whose authenticity was already established. Null for another format or length. */
export function decodeCursor(bytes: Buffer): CursorPayload | null {
  if (bytes.length < IDS_AT + 2 || bytes.readUInt8(0) !== FORMAT_VERSION) return null;
  const rooftopEnd = IDS_AT + 1 + bytes.readUInt8(IDS_AT);
  if (rooftopEnd >= bytes.length || rooftopEnd + 1 + bytes.readUInt8(rooftopEnd) !== bytes.length) return null;
  return {
    keyId: bytes.readUInt8(1),
    queryHash: bytes.subarray(QUERY_HASH_AT, CONTEXT_HASH_AT),
    contextHash: bytes.subarray(CONTEXT_HASH_AT, SNAPSHOT_AT),
    snapshotVersion: bytes.readDoubleBE(SNAPSHOT_AT),
    issuedAt: bytes.readDoubleBE(ISSUED_AT),
    expiresAt: bytes.readDoubleBE(EXPIRES_AT),
    position: {
      key: bytes.readUInt8(HAS_KEY_AT) === 0 ? null : bytes.readDoubleBE(KEY_AT),
      rooftopId: bytes.toString('utf8', IDS_AT + 1, rooftopEnd),
      vehicleId: bytes.toString('utf8', rooftopEnd + 1),
    },
  };
}

function ofHashLength(hash: Uint8Array): Uint8Array {
  if (hash.length !== CURSOR_HASH_BYTES) throw new RangeError('a cursor hash has 16 bytes');
  return hash;
}
