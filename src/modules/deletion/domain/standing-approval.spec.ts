import { assert, boolean, constantFrom, integer, option, property, record, subarray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoundPolicy } from './run-preview.js';
import { refusalOfRun, type StandingApproval, standingHashOf, standingStateOf } from './standing-approval.js';

const CATEGORIES = ['feed_file', 'lead', 'session'];
const policy = record({
  policyId: constantFrom('retention.a', 'retention.b'),
  version: integer({ min: 1, max: 2 }),
  contentHash: constantFrom('x', 'y'),
});
const standing = record({
  policy,
  categories: subarray(CATEGORIES, { minLength: 1 }),
  recordCap: integer({ min: 1, max: 5 }),
  expiresAt: integer({ min: 0, max: 4 }),
  approved: boolean(),
  revoked: boolean(),
}).map(({ approved, revoked, ...said }): StandingApproval => ({
  ...{ organizationId: 'org.a', standingId: 'standing.a', reason: 'daily', requestedAt: 0, contentHash: '' },
  ...{ requester: { actorKind: 'person', actor: 'staff.a' }, ...said },
  approval: approved ? { approvalId: 'apr.a', approvers: ['staff.b', 'staff.c'], approvedAt: 0 } : undefined,
  revoked: revoked ? { at: 0, by: 'staff.b' } : undefined,
}));
const run = record({
  categories: option(subarray(CATEGORIES, { minLength: 1 })),
  beyondBrake: option(constantFrom('more')),
  policy,
  going: integer({ min: 0, max: 7 }),
});
const now = integer({ min: 0, max: 4 });
const same = (a: BoundPolicy, b: BoundPolicy): boolean => JSON.stringify(a) === JSON.stringify(b);

describe('a standing approval', () => {
  it('carries a run only when everything about both is right, and then it does', () => {
    let carried = 0;
    assert(
      property(standing, run, option(policy, { nil: undefined }), now, boolean(), (drawn, other, active, at, alike) => {
        // Drawn apart, policies are hardly ever the same.
        const [one, inForce] = alike ? [{ ...other, policy: drawn.policy }, drawn.policy] : [other, active];
        const right = [
          drawn.approval !== undefined,
          drawn.revoked === undefined,
          at < drawn.expiresAt,
          inForce !== undefined && same(inForce, drawn.policy),
          same(one.policy, drawn.policy),
          one.categories?.every((category) => drawn.categories.includes(category)) ?? false,
          one.beyondBrake === null,
          one.going <= drawn.recordCap,
        ];
        const refusal = refusalOfRun(drawn, one, inForce, at);
        expect(refusal === undefined).toBe(right.every(Boolean));
        if (refusal === undefined) carried++;
      }),
      { numRuns: 5000 },
    );
    expect(carried).toBeGreaterThan(0);
  });

  it('is over for good once it is revoked, whatever else there is', () => {
    assert(
      property(standing, policy, now, (one, active, at) => {
        const revoked = { ...one, revoked: { at: 0, by: 'staff.b' } };
        expect(standingStateOf(revoked, active, at)).toBe('revoked');
      }),
    );
  });

  it('has another hash as soon as anything is different that bounds it', () => {
    const content = {
      organizationId: 'org.a',
      standingId: 'standing.a',
      policy: { policyId: 'p', version: 1, contentHash: 'x' },
    };
    const said = { ...content, categories: ['lead'], recordCap: 5, reason: 'daily', requestedAt: 0, expiresAt: 9 };
    const whole = { ...said, requester: { actorKind: 'person', actor: 'staff.a' } };
    const changes = [
      { organizationId: 'org.b' },
      { standingId: 'standing.b' },
      { policy: { ...content.policy, version: 2 } },
      { categories: ['lead', 'session'] },
      { recordCap: 6 },
      { expiresAt: 10 },
      { requester: { actorKind: 'person', actor: 'staff.b' } },
    ];
    const hashes = [{}, ...changes].map((change) => standingHashOf({ ...whole, ...change }));
    expect(new Set(hashes).size).toBe(changes.length + 1);
  });
});
