import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../kernel/limits.js';
import { refusalOfClaims, verifiedTokenOf } from './token-claims.js';

const NOW = 1_800_000_000;
const ISSUER = 'https://issuer.example';
const AUDIENCE = 'https://gateway.example/organizations/org.north/mcp';
const LEEWAY = LIMITS.tokenLeewaySeconds.value;
const LIFETIME = LIMITS.tokenLifetimeSeconds.value;
const GOOD = { iss: ISSUER, aud: AUDIENCE, exp: NOW + 300, iat: NOW - 10, sub: 'agent' };
const refusal = (changes: object, now = NOW) =>
  refusalOfClaims({ ...GOOD, ...changes }, { issuer: ISSUER, audience: AUDIENCE, now: now * 1000 });

describe('Claims', () => {
  it.each([{}, { aud: [AUDIENCE] }, { aud: ['https://other.example', AUDIENCE] }, { nbf: NOW }, { nbf: NOW + LEEWAY }])(
    'count with %j',
    (changes) => {
      expect(refusal(changes)).toBeUndefined();
    },
  );

  const nearMisses = [
    `${AUDIENCE}/`,
    `${AUDIENCE}/underscore`,
    AUDIENCE.slice(0, -1),
    AUDIENCE.toUpperCase(),
    AUDIENCE.replace('gateway', 'GATEWAY'),
    AUDIENCE.replace('https', 'http'),
    AUDIENCE.replace('.example/', '.example:443/'),
    AUDIENCE.replace('org.north', 'org.northern'),
    AUDIENCE.replace('org.north', 'org.south'),
    'https://gateway.example/mcp',
    'https://gateway.example',
    'https://gateway.example/admin',
    ` ${AUDIENCE}`,
    `${AUDIENCE} `,
    `${AUDIENCE} https://other.example`,
    `${AUDIENCE}?`,
    `${AUDIENCE}#`,
    `${AUDIENCE}%2f`,
    '*',
    '',
  ];
  it.each(nearMisses)('for another audience do not count: %j', (aud) => {
    expect(refusal({ aud })).toBe('token_audience');
    expect(refusal({ aud: [aud] })).toBe('token_audience');
  });

  it.each([undefined, null, 1, true, {}, [], nearMisses, [[AUDIENCE]], { 0: AUDIENCE }])(
    'with the audience %j do not count',
    (aud) => {
      expect(refusal({ aud })).toBe('token_audience');
    },
  );

  it.each([`${ISSUER}/`, ISSUER.toUpperCase(), 'http://issuer.example', [ISSUER], undefined])(
    'of the issuer %j do not count',
    (iss) => {
      expect(refusal({ iss })).toBe('token_issuer');
    },
  );

  it.each([
    [{ exp: undefined }, 'token_claims'],
    [{ exp: '1900000000' }, 'token_claims'],
    [{ exp: Infinity }, 'token_claims'],
    [{ iat: undefined }, 'token_claims'],
    [{ iat: null }, 'token_claims'],
    [{ nbf: 'now' }, 'token_claims'],
    [{ sub: undefined }, 'token_claims'],
    [{ sub: '' }, 'token_claims'],
    [{ sub: 7 }, 'token_claims'],
    [{ exp: NOW - LEEWAY }, 'token_expired'],
    [{ iat: NOW + LEEWAY + 1, exp: NOW + 300 }, 'token_not_yet_valid'],
    [{ nbf: NOW + LEEWAY + 1 }, 'token_not_yet_valid'],
    [{ iat: NOW, exp: NOW + LIFETIME + 1 }, 'token_lifetime'],
    [{ iat: 0 }, 'token_lifetime'],
    [{ iat: NOW + 10, exp: NOW + 10 }, 'token_lifetime'],
  ])('with %j are refused: %s', (changes, expected) => {
    expect(refusal(changes)).toBe(expected);
  });

  it('count no longer than their end and the leeway, and no longer than the longest life, whatever they say', () => {
    const second = fc.integer({ min: NOW - 10_000, max: NOW + 10_000 });
    fc.assert(
      fc.property(second, second, second, (iat, exp, now) => {
        fc.pre(refusal({ iat, exp }, now) === undefined);
        expect(now).toBeLessThan(exp + LEEWAY);
        expect(now).toBeGreaterThanOrEqual(iat - LEEWAY);
        expect(exp - iat).toBeLessThanOrEqual(LIFETIME);
      }),
    );
  });

  it('allow a leeway of a minute at most', () => {
    expect(LEEWAY).toBeLessThanOrEqual(60);
  });
});

describe('What is read from claims', () => {
  it.each([
    [{ scope: 'a b' }, ['a', 'b']],
    [{ scp: 'a b' }, ['a', 'b']],
    [{ scp: ['a', 'b'] }, ['a', 'b']],
    [{ scope: '' }, []],
    [{}, []],
    [{ scope: 7 }, []],
    [{ scope: ['a', { b: 1 }, ''] }, ['a']],
  ])('are the scopes of %j', (claims, scopes) => {
    expect(verifiedTokenOf(ISSUER, { ...GOOD, ...claims }).scopes).toEqual(scopes);
  });

  it.each([
    [{ client_id: 'c', azp: 'z' }, 'c'],
    [{ azp: 'z' }, 'z'],
    [{}, undefined],
    [{ client_id: ['c'] }, undefined],
    [{ client_id: 'c'.repeat(600) }, undefined],
  ])('is the client of %j', (claims, clientId) => {
    expect(verifiedTokenOf(ISSUER, { ...GOOD, ...claims }).clientId).toBe(clientId);
  });
});
