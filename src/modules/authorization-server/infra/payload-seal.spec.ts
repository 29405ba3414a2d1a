import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PayloadSeal } from './payload-seal.js';

const place = Buffer.from('here');

it('opens what it sealed, at its place only, and shows nothing of it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.uint8Array({ minLength: 1 }), (payload, other) => {
      const seal = new PayloadSeal([randomBytes(32)]);
      const sealed = seal.seal(payload, place);
      expect(seal.open(sealed, place)).toEqual(JSON.parse(JSON.stringify(payload)));
      if (Buffer.compare(Buffer.from(other), place) !== 0)
        expect(seal.open(sealed, Buffer.from(other))).toBeUndefined();
    }),
  );
  const sealed = new PayloadSeal([randomBytes(32)]).seal({ jti: 'the-refresh-token' }, place);
  expect(sealed.includes('the-refresh-token')).toBe(false);
});

it('does not open what one bit was changed of, or what is too short', () => {
  const seal = new PayloadSeal([randomBytes(32)]);
  const sealed = seal.seal({ a: 1 }, place);
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
    expect(seal.open(changed, place)).toBeUndefined();
    expect(seal.open(sealed.subarray(0, i), place)).toBeUndefined();
  }
});

it('opens what the key before the rotation sealed, and seals with the new one', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const rotated = new PayloadSeal([current, old]);
  expect(rotated.open(new PayloadSeal([old]).seal({ a: 1 }, place), place)).toEqual({ a: 1 });
  expect(new PayloadSeal([current]).open(rotated.seal({ a: 2 }, place), place)).toEqual({ a: 2 });
});
