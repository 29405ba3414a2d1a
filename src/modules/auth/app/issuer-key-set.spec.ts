import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../kernel/failure/failure.js';
import { IssuerKeySet } from './issuer-key-set.js';

const TIMES = { fresh: 1000, kept: 10_000, pause: 100 };
let now: number;
let fetched: number;
let answer: () => Promise<JSONWebKeySet>;
let first: JWK;
let second: JWK;
let rsa: JWK;
let set: IssuerKeySet;

const published = async (alg: string, kid: string): Promise<JWK> => ({
  ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).publicKey)),
  kid,
});

beforeAll(async () => {
  [first, second, rsa] = await Promise.all([
    published('ES256', 'one'),
    published('ES256', 'two'),
    published('RS256', 'r'),
  ]);
});
beforeEach(() => {
  now = 1_000_000;
  fetched = 0;
  answer = () => Promise.resolve({ keys: [first] });
  set = new IssuerKeySet(
    () => {
      fetched++;
      return answer();
    },
    TIMES,
    { now: () => now },
  );
});
const has = async (kid: string, alg: 'ES256' | 'RS256' | 'PS256' = 'ES256'): Promise<boolean> =>
  (await set.find({ kid, alg })) !== undefined;
const unavailable = async (): Promise<boolean> => {
  const error: unknown = await set.find({ kid: 'one', alg: 'ES256' }).catch((e: unknown) => e);
  return error instanceof Failure && error.code === 'upstream.unavailable';
};

describe('The keys of an issuer', () => {
  it('are fetched once for many calls, also at the same time', async () => {
    expect(await Promise.all(Array.from({ length: 20 }, () => has('one')))).not.toContain(false);
    now += 999;
    expect(await has('one')).toBe(true);
    expect(fetched).toBe(1);
  });

  it('are fetched again when old, and what was withdrawn counts no more', async () => {
    await has('one');
    answer = () => Promise.resolve({ keys: [second] });
    now += 1000;
    expect(await has('one')).toBe(false);
    expect(await has('two')).toBe(true);
  });

  it('are fetched once more for an unknown id, so that a rotated key counts at once', async () => {
    await has('one');
    answer = () => Promise.resolve({ keys: [first, second] });
    now += TIMES.pause;
    expect(await Promise.all([has('two'), has('two'), has('two')])).toEqual([true, true, true]);
    expect(fetched).toBe(2);
  });

  it('are not fetched for every id that somebody makes up', async () => {
    for (let i = 0; i < 50; i++) expect(await has(`made-up-${i}`)).toBe(false);
    expect(fetched).toBe(1);
    now += TIMES.pause;
    for (let i = 0; i < 50; i++) expect(await has(`made-up-${i}`)).toBe(false);
    expect(fetched).toBe(2);
  });

  it('count while their issuer is away, for as long as they are kept', async () => {
    await has('one');
    answer = () => Promise.reject(new Error('away'));
    now += 9_999;
    expect(await has('one')).toBe(true);
    now += TIMES.pause;
    expect(await unavailable()).toBe(true);
    answer = () => Promise.resolve({ keys: [first] });
    now += TIMES.pause;
    expect(await has('one')).toBe(true);
  });

  it('cannot be had from an issuer that is away, and it is left alone for a while', async () => {
    answer = () => Promise.reject(new Error('away'));
    for (let i = 0; i < 10; i++) expect(await unavailable()).toBe(true);
    expect(fetched).toBe(1);
  });

  it('are no younger on a clock that was set back', async () => {
    await has('one');
    now -= 1_000_000;
    await has('one');
    expect(fetched).toBe(2);
  });

  it('serve the algorithms of their kind and use only', async () => {
    const open = first;
    answer = () =>
      Promise.resolve({
        keys: [
          { ...rsa, kid: 'ps', alg: 'PS256' },
          { ...open, kid: 'enc', use: 'enc' },
          { ...open, kid: 'sign-only', key_ops: ['sign'] },
          { ...open, kid: 'private', d: 'AAAA' },
          { kty: 'oct', k: 'AAAA', kid: 'secret', alg: 'ES256' },
          { ...open, kid: 'curve', crv: 'P-384' },
          { ...open, kid: 'broken', x: 'AAAA' },
          rsa,
        ],
      });
    expect(await has('r', 'RS256')).toBe(true);
    expect(await has('r', 'PS256')).toBe(true);
    expect(await has('r', 'ES256')).toBe(false);
    expect(await has('ps', 'PS256')).toBe(true);
    expect(await has('ps', 'RS256')).toBe(false);
    for (const kid of ['enc', 'sign-only', 'private', 'secret', 'curve', 'broken'])
      expect(await has(kid), kid).toBe(false);
  });

  it('of less than 2048 bits verify nothing', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }) as JWK;
    answer = () => Promise.resolve({ keys: [{ ...weak, kid: 'weak' }] });
    expect(await has('weak', 'RS256')).toBe(false);
  });
});
