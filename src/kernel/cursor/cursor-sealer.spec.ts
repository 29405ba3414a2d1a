import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../failure/failure.js';
import type { CursorBinding } from './cursor-sealer.js';
import { cursorContextHash, CursorSealer } from './cursor-sealer.js';
import type { KeysetPosition } from './keyset-position.js';

const NOW = Date.parse('2026-11-30T06:00:00Z');
const LIFETIME_MS = 900_000;
const secret = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const sealer = new CursorSealer([{ id: 7, secret: secret(1) }]);
const binding: CursorBinding = {
  queryHash: new Uint8Array(16).fill(9),
  contextHash: cursorContextHash('public', 'org.example', ['roof.a', 'roof.b']),
};
const position: KeysetPosition = { key: 2_499_500, rooftopId: 'roof.a', vehicleId: 'veh.1' };
const sealed = sealer.seal(binding, 42, position, NOW);

function refusal(text: string, bound: CursorBinding = binding, now = NOW): unknown {
  try {
    sealer.open(text, bound, now);
  } catch (error) {
    return error;
  }
  return undefined;
}

const REJECTED = {
  code: 'input.cursor_rejected',
  context: {
    violations: [
      { pointer: '/page/cursor', keyword: 'cursor', explanation: 'the cursor is not valid for this request' },
    ],
  },
};

function expectRejected(text: string, bound?: CursorBinding, now?: number): void {
  const error = refusal(text, bound, now);
  expect(error).toBeInstanceOf(Failure);
  expect(error).toMatchObject(REJECTED);
}

const id = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,127}$/);
const hash = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('CursorSealer', () => {
  it('gives back exactly what was sealed', () => {
    const key = fc.oneof(fc.constant(null), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(
        key,
        id,
        id,
        hash,
        hash,
        fc.maxSafeNat(),
        (k, rooftopId, vehicleId, queryHash, contextHash, version) => {
          const bound = { queryHash, contextHash };
          const at = { key: k, rooftopId, vehicleId };
          const text = sealer.seal(bound, version, at, NOW);
          expect(text).toMatch(/^[A-Za-z0-9_-]{1,2048}$/);
          expect(sealer.open(text, bound, NOW)).toEqual({
            position: at,
            snapshotVersion: version,
            issuedAt: NOW,
            expiresAt: NOW + LIFETIME_MS,
          });
        },
      ),
    );
  });

  it('rejects a cursor with any single bit flipped', () => {
    const bytes = Buffer.from(sealed, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expectRejected(flipped.toString('base64url'));
    }
  });

  it('rejects a cursor with any single character changed, spare bits of the last one included', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...Array.from(alphabet)), (at, character) => {
        fc.pre(sealed[at] !== character);
        expectRejected(sealed.slice(0, at) + character + sealed.slice(at + 1));
      }),
    );
    for (const character of alphabet) {
      if (!sealed.endsWith(character)) expectRejected(sealed.slice(0, -1) + character);
    }
  });

  it('rejects every truncation and extension', () => {
    for (let length = 0; length < sealed.length; length++) expectRejected(sealed.slice(0, length));
    for (const tail of ['A', 'AAAA', '=', '==', ' ', '\n', '.']) expectRejected(sealed + tail);
  });

  it('rejects garbage of any length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        expectRejected(text);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expectRejected(Buffer.from(bytes).toString('base64url'));
      }),
    );
  });

  it('rejects a cursor under any other query or context', () => {
    fc.assert(
      fc.property(hash, (other) => {
        fc.pre(!Buffer.from(other).equals(Buffer.from(binding.queryHash)));
        expectRejected(sealed, { ...binding, queryHash: other });
        expectRejected(sealed, { ...binding, contextHash: other });
      }),
    );
    expectRejected(sealed, { queryHash: binding.contextHash, contextHash: binding.queryHash });
    expectRejected(sealed, { ...binding, queryHash: new Uint8Array(0) });
  });

  it('accepts up to the expiry and rejects after it', () => {
    expect(sealer.open(sealed, binding, NOW + LIFETIME_MS).position).toEqual(position);
    expectRejected(sealed, binding, NOW + LIFETIME_MS + 1);
  });

  it('rejects a cursor from the future, beyond the tolerated clock skew of a second', () => {
    expect(sealer.open(sealed, binding, NOW - 1000).position).toEqual(position);
    expectRejected(sealed, binding, NOW - 1001);
  });

  it('rejects a well signed payload of another format or with surplus bytes', () => {
    const signed = (payload: Buffer): string =>
      Buffer.concat([payload, createHmac('sha256', secret(1)).update(payload).digest()]).toString('base64url');
    const payload = Buffer.from(sealed, 'base64url').subarray(0, -32);
    expect(signed(payload)).toBe(sealed);
    expectRejected(signed(Buffer.concat([Buffer.from([2]), payload.subarray(1)])));
    expectRejected(signed(Buffer.concat([payload, Buffer.from([0])])));
    expectRejected(signed(payload.subarray(0, 40)));
    const longId = Buffer.from(payload);
    longId[67] = 255;
    expectRejected(signed(longId));
  });

  it('signs with the first key and accepts every key of the ring', () => {
    const rotated = new CursorSealer([
      { id: 8, secret: secret(2) },
      { id: 7, secret: secret(1) },
    ]);
    expect(rotated.open(sealed, binding, NOW).position).toEqual(position);
    const fresh = rotated.seal(binding, 42, position, NOW);
    expect(rotated.open(fresh, binding, NOW).position).toEqual(position);
    expectRejected(fresh);
  });

  it('rejects a cursor whose key id names another secret', () => {
    const stranger = new CursorSealer([{ id: 7, secret: secret(3) }]);
    expectRejected(stranger.seal(binding, 42, position, NOW));
  });

  it('refuses an unusable key ring', () => {
    expect(() => new CursorSealer([])).toThrow(RangeError);
    expect(() => new CursorSealer([{ id: 256, secret: secret(1) }])).toThrow(RangeError);
    expect(() => new CursorSealer([{ id: 1, secret: new Uint8Array(31) }])).toThrow(RangeError);
    const twice = { id: 1, secret: secret(1) };
    expect(() => new CursorSealer([twice, twice])).toThrow(RangeError);
  });
});

describe('cursorContextHash', () => {
  it('depends on subject, organization and rooftop set, and not on the order of rooftops', () => {
    const base = cursorContextHash('s', 'o', ['a', 'b']);
    expect(cursorContextHash('s', 'o', ['b', 'a']).equals(base)).toBe(true);
    for (const other of [
      cursorContextHash('t', 'o', ['a', 'b']),
      cursorContextHash('s', 'p', ['a', 'b']),
      cursorContextHash('s', 'o', ['a']),
      cursorContextHash('s', 'o', ['a,b']),
    ]) {
      expect(other.equals(base)).toBe(false);
    }
  });
});
