import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksSigned, readTokenHeader } from './token-header.js';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (header: unknown): string => `${part(header)}.${part({ iss: 'x' })}.c2ln`;
const GOOD = { alg: 'ES256', kid: 'k1', typ: 'at+jwt' };

describe('The header of a token', () => {
  it.each(['at+jwt', 'application/at+jwt', 'JWT', 'jwt', 'AT+JWT'])('may have the type %s', (typ) => {
    expect(readTokenHeader(token({ ...GOOD, typ }))).toEqual({ alg: 'ES256', kid: 'k1' });
  });

  it.each([
    [{ ...GOOD, alg: 'none' }, 'token_algorithm'],
    [{ ...GOOD, alg: 'None' }, 'token_algorithm'],
    [{ ...GOOD, alg: 'HS256' }, 'token_algorithm'],
    [{ ...GOOD, alg: 'RS512' }, 'token_algorithm'],
    [{ ...GOOD, alg: 'EdDSA' }, 'token_algorithm'],
    [{ ...GOOD, alg: ['ES256'] }, 'token_algorithm'],
    [{ kid: 'k1', typ: 'JWT' }, 'token_algorithm'],
    [{ ...GOOD, typ: 'dpop+jwt' }, 'token_type'],
    [{ ...GOOD, typ: 'id_token+jwt' }, 'token_type'],
    [{ ...GOOD, typ: 'secevent+jwt' }, 'token_type'],
    [{ alg: 'ES256', kid: 'k1' }, 'token_type'],
    [{ ...GOOD, crit: ['b64'], b64: false }, 'token_header'],
    [{ ...GOOD, crit: ['exp'] }, 'token_header'],
    [{ ...GOOD, b64: false }, 'token_header'],
    [{ ...GOOD, kid: undefined }, 'token_key_unknown'],
    [{ ...GOOD, kid: '' }, 'token_key_unknown'],
    [{ ...GOOD, kid: { $ne: '' } }, 'token_key_unknown'],
    [{ ...GOOD, kid: 'k'.repeat(257) }, 'token_key_unknown'],
    [[GOOD], 'credential_malformed'],
    ['text', 'credential_malformed'],
    [null, 'credential_malformed'],
  ])('of %j is refused: %s', (header, refusal) => {
    expect(readTokenHeader(token(header))).toEqual({ refusal });
  });

  it.each(['a.b.', '.b.c', 'a..c', 'a.b.c.d', 'a b.c.d', 'a=.b.c', 'a.b.c\n', '!!.b.c'])(
    'is not read from %j',
    (text) => {
      expect(readTokenHeader(text)).toEqual({ refusal: 'credential_malformed' });
    },
  );

  it('is never read wrongly, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json().map(part)), (text) => {
        expect(readTokenHeader(`${text}.e30.c2ln`)).toHaveProperty('refusal');
      }),
    );
  });

  it('is asked of three parts only', () => {
    expect(['a', 'a.b', 'a.b.c.d', 'a.b.c.d.e'].map(looksSigned)).toEqual([false, false, false, false]);
    expect(['a.b.c', 'a.b.', '..'].map(looksSigned)).toEqual([true, true, true]);
  });
});
