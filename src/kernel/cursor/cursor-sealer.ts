import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import { Failure } from '../failure/failure.js';
import { LIMITS } from '../limits.js';
import type { CursorPayload } from './cursor-payload.js';
import { CURSOR_HASH_BYTES, decodeCursor, encodeCursor } from './cursor-payload.js';
import type { KeysetPosition } from './keyset-position.js';

/** A signing key: `id` 0..255, `secret` at least 32 random bytes. */
export interface CursorKey {
  readonly id: number;
  readonly secret: Uint8Array;
}

/** What a cursor is valid for: both hashes must be the same when it comes back (DAP-SEC-006). */
export interface CursorBinding {
  /** Of filters, free text, sort and limit: `queryHash` of the normalised query. */
  readonly queryHash: Uint8Array;
  /** Of who asks, about what: `cursorContextHash`. */
  readonly contextHash: Uint8Array;
}

/** What an accepted cursor says. Times are milliseconds. */
export type OpenedCursor = Pick<CursorPayload, 'position' | 'snapshotVersion' | 'issuedAt' | 'expiresAt'>;

/** Longest cursor text: DAP pageRequest.cursor maxLength. */
const CURSOR_CHARACTERS_MAX = 2048;
const MAC_BYTES = 32;
const SECRET_BYTES_MIN = 32;
/** Processes of one deployment may disagree about the time by less than this before it is an alarm. */
const CLOCK_SKEW_MS = 1000;

/**
 * Seals and opens page cursors (DAP security profile §5): opaque base64url over a signed binary payload. A cursor holds
 * hashes and published ids only, no words of the query. The first key signs, every key of the ring is accepted.
 */
export class CursorSealer {
  private readonly signing: { readonly id: number; readonly secret: KeyObject };
  // Key objects, because handing over raw bytes imports the key again for every cursor.
  private readonly secrets = new Map<number, KeyObject>();

  /** @throws RangeError for an empty ring, a repeated or impossible key id, or a short secret. */
  constructor(ring: readonly CursorKey[]) {
    const [first] = ring;
    if (first === undefined) throw new RangeError('the cursor key ring is empty');
    for (const { id, secret } of ring) {
      if (!Number.isInteger(id) || id < 0 || id > 255) throw new RangeError('a cursor key id is one byte');
      if (this.secrets.has(id)) throw new RangeError('a cursor key id is repeated');
      if (secret.length < SECRET_BYTES_MIN) throw new RangeError('a cursor secret has at least 32 bytes');
      this.secrets.set(id, createSecretKey(secret));
    }
    this.signing = { id: first.id, secret: createSecretKey(first.secret) };
  }

  /**
   * Makes the cursor of the page that follows `position`.
   * @param now milliseconds; the cursor expires LIMITS.cursorLifetimeSeconds later.
   */
  seal(binding: CursorBinding, snapshotVersion: number, position: KeysetPosition, now: number): string {
    const payload = encodeCursor({
      keyId: this.signing.id,
      queryHash: binding.queryHash,
      contextHash: binding.contextHash,
      snapshotVersion,
      issuedAt: now,
      expiresAt: now + LIMITS.cursorLifetimeSeconds.value * 1000,
      position,
    });
    return Buffer.concat([payload, macOf(payload, this.signing.secret)]).toString('base64url');
  }

  /**
   * Reads a cursor that came back with a request.
   * @param now milliseconds.
   * @throws Failure input.cursor_rejected for anything that is not exactly a cursor this service issued for this binding
   *   and that has not expired. Every cause looks the same.
   */
  open(text: string, binding: CursorBinding, now: number): OpenedCursor {
    const payload = this.authenticPayload(text);
    const cursor = payload === null ? null : decodeCursor(payload);
    if (cursor === null || !isBoundTo(cursor, binding) || !isInForce(cursor, now)) throw rejected();
    const { position, snapshotVersion, issuedAt, expiresAt } = cursor;
    return { position, snapshotVersion, issuedAt, expiresAt };
  }

  private authenticPayload(text: string): Buffer | null {
    if (text.length > CURSOR_CHARACTERS_MAX) return null;
    const bytes = Buffer.from(text, 'base64url');
    // Node's decoder skips what it does not know and ignores spare bits: only the one canonical spelling is ours.
    if (bytes.length <= MAC_BYTES + 2 || bytes.toString('base64url') !== text) return null;
    const payload = bytes.subarray(0, bytes.length - MAC_BYTES);
    const secret = this.secrets.get(payload.readUInt8(1));
    if (secret === undefined) return null;
    return timingSafeEqual(macOf(payload, secret), bytes.subarray(bytes.length - MAC_BYTES)) ? payload : null;
  }
}

/**
 * Hash of the authorization context of a search: who asks ("public" for anonymous callers), which organization, and the
 * rooftops the request resolved to, in any order.
 */
export function cursorContextHash(subject: string, organizationId: string, rooftopIds: readonly string[]): Buffer {
  const context = JSON.stringify([subject, organizationId, [...rooftopIds].sort()]);
  return hash('sha256', context, 'buffer').subarray(0, CURSOR_HASH_BYTES);
}

function macOf(payload: Buffer, secret: KeyObject): Buffer {
  return createHmac('sha256', secret).update(payload).digest();
}

function isBoundTo(cursor: CursorPayload, binding: CursorBinding): boolean {
  const bound = Buffer.concat([cursor.queryHash, cursor.contextHash]);
  const asked = Buffer.concat([binding.queryHash, binding.contextHash]);
  return bound.length === asked.length && timingSafeEqual(bound, asked);
}

function isInForce(cursor: CursorPayload, now: number): boolean {
  return cursor.issuedAt <= now + CLOCK_SKEW_MS && now <= cursor.expiresAt;
}

function rejected(): Failure {
  const explanation = 'the cursor is not valid for this request';
  return new Failure('input.cursor_rejected', {
    violations: [{ pointer: '/page/cursor', keyword: 'cursor', explanation }],
  });
}
