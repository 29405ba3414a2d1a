import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccessFact, End } from './access-fact.js';
import { countedAt, positionOf, reviewAt, withSuccession } from './access-fact.js';

const fact = (id: string, version: number, from: number, ends: readonly End[]): AccessFact => ({
  kind: 'grant',
  id,
  version,
  holder: 'agent:a',
  role: null,
  restsOn: null,
  rooftops: ['roof.a'],
  profiles: [],
  scopes: [],
  networks: [],
  unknown: [],
  from,
  ends,
});

type Change =
  | { readonly what: 'issue'; readonly id: string; readonly lasts: number }
  | { readonly what: 'revise'; readonly id: string; readonly lasts: number }
  | { readonly what: 'revoke'; readonly id: string };

/** What is kept: versions with their time and end, and when the whole was revoked. As the tables keep it. */
interface Kept {
  readonly versions: { readonly from: number; readonly expiresAt: number }[];
  revokedAt: number | null;
}

function keep(changes: readonly Change[]): Map<string, Kept> {
  const kept = new Map<string, Kept>();
  for (const [now, change] of changes.entries()) {
    const known = kept.get(change.id);
    if (change.what === 'issue' && known === undefined)
      kept.set(change.id, { versions: [{ from: now, expiresAt: now + change.lasts }], revokedAt: null });
    if (change.what === 'revise' && known?.revokedAt === null)
      known.versions.push({ from: now, expiresAt: now + change.lasts });
    if (change.what === 'revoke' && known !== undefined) known.revokedAt ??= now;
  }
  return kept;
}

/** What is in force after the changes up to a time, by going through them one by one: knows nothing of what came later. */
function replay(changes: readonly Change[], at: number): readonly string[] {
  const live = new Map<string, { version: number; until: number; revoked: boolean }>();
  for (const [now, change] of changes.slice(0, at + 1).entries()) {
    const known = live.get(change.id);
    if (change.what === 'issue' && known === undefined)
      live.set(change.id, { version: 1, until: now + change.lasts, revoked: false });
    if (change.what === 'revise' && known?.revoked === false)
      live.set(change.id, { version: known.version + 1, until: now + change.lasts, revoked: false });
    if (change.what === 'revoke' && known !== undefined) known.revoked = true;
  }
  return [...live]
    .filter(([, { until, revoked }]) => !revoked && at < until)
    .map(([id, { version }]) => `${id}@${version}`)
    .toSorted();
}

const factsOf = (kept: ReadonlyMap<string, Kept>): readonly AccessFact[] =>
  [...kept].flatMap(([id, { versions, revokedAt }]) =>
    withSuccession(
      versions.map(({ from, expiresAt }, index) =>
        fact(id, index + 1, from, [
          { at: expiresAt, reason: 'expired' },
          ...(revokedAt === null ? [] : [{ at: revokedAt, reason: 'revoked' as const }]),
        ]),
      ),
    ),
  );

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    what: fc.constantFrom('issue' as const, 'revise' as const),
    id: fc.constantFrom('a', 'b', 'c'),
    lasts: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ what: fc.constant('revoke' as const), id: fc.constantFrom('a', 'b', 'c') }),
);

describe('The review of a date', () => {
  it('equals what the changes up to that date had made, whatever came later', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 25 }), fc.nat({ max: 30 }), (changes, at) => {
        const review = reviewAt(factsOf(keep(changes)), at).map(({ id, version }) => `${id}@${version}`);
        expect(review.toSorted()).toEqual(replay(changes, at));
      }),
      { numRuns: 1000 },
    );
  });

  it('counts from the first moment on, and not at the moment of the end', () => {
    const one = fact('a', 1, 10, [{ at: 20, reason: 'expired' }]);
    expect([9, 10, 19, 20].map((at) => countedAt(one, at))).toEqual([false, true, true, false]);
  });

  it('has its entries in one order, version ten after version nine', () => {
    const versions = [10, 9, 1].map((version) => fact('a', version, 0, []));
    expect(
      versions
        .map(positionOf)
        .toSorted()
        .map((p) => p.slice(-2)),
    ).toEqual(['01', '09', '10']);
  });
});
