import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hmacSha256Hex } from './hmac.js';

it('is HMAC-SHA256, whatever key and text came before', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ minLength: 400, maxLength: 900 }));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), text, (key, value) => {
      expect(hmacSha256Hex(key, value)).toBe(createHmac('sha256', key).update(value).digest('hex'));
    }),
    { numRuns: 500 },
  );
});

it('refuses a key that would have to be hashed first', () => {
  expect(() => hmacSha256Hex(new Uint8Array(65), 'x')).toThrow(RangeError);
});
