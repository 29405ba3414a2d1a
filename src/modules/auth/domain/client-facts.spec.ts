import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviewAt } from './access-fact.js';
import { type ClientHistory, factsOfClient, type IssuerTrust } from './client-facts.js';

const ISSUER = 'https://idp.test';
const client = (versions: ClientHistory['versions'], revokedAt: number | null = null): ClientHistory => ({
  ...{ id: 'client.a', name: 'A', issuer: ISSUER, createdAt: 10, revokedAt, versions },
});
const carriedAt = (history: ClientHistory, trusts: readonly IssuerTrust[] | undefined, at: number) =>
  reviewAt(factsOfClient(history, trusts), at).map(({ version, restsOn, unknown }) => [version, restsOn, ...unknown]);

describe('what an agent client carried at a time', () => {
  const versions = [
    { version: 1, grantId: null, from: 10 },
    { version: 2, grantId: 'grant.a', from: 20 },
    { version: 3, grantId: 'grant.b', from: 30 },
  ];

  it('is the grant of then, until it was revoked', () => {
    const history = client(versions, 40);
    const carried = [9, 10, 19, 20, 29, 30, 39, 40].map((at) => carriedAt(history, undefined, at));
    expect(carried).toEqual([
      [],
      [[1, null]],
      [[1, null]],
      [[2, 'grant.a']],
      [[2, 'grant.a']],
      [[3, 'grant.b']],
      [[3, 'grant.b']],
      [],
    ]);
  });

  it('is unknown before what is kept, and never nothing', () => {
    expect(carriedAt(client(versions.slice(2)), undefined, 15)).toEqual([[0, null, 'rests_on']]);
    expect(carriedAt(client([]), undefined, 50)).toEqual([[0, null, 'rests_on']]);
    expect(carriedAt(client([], 40), undefined, 40)).toEqual([]);
  });

  it('is nothing while its issuer was not trusted, and the same as before where it was', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 60 }), (bounds, at) => {
        const ordered = bounds.toSorted((a, b) => a - b);
        const trusts = ordered.flatMap((from, index) =>
          index % 2 === 0
            ? [{ id: `issuer.${from}`, issuer: ISSUER, from, revokedAt: ordered[index + 1] ?? null }]
            : [],
        );
        const isTrusted = ordered.filter((bound) => bound <= at).length % 2 === 1;
        const history = client(versions, 50);
        expect(carriedAt(history, trusts, at)).toEqual(isTrusted ? carriedAt(history, undefined, at) : []);
      }),
    );
  });
});
