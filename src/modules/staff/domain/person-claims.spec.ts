import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roleOfGroups, signInFacts } from './person-claims.js';

const NOW = Date.parse('2026-11-30T06:00:00Z');
const SECONDS = NOW / 1000;
const ROLES = [
  { group: 'dealers/compliance', role: 'compliance' },
  { group: 'dealers/admins', role: 'admin' },
] as const;

describe('How a person signed in', () => {
  it.each([
    [
      { amr: ['pwd', 'otp'], auth_time: SECONDS - 5 },
      { strong: true, authenticatedAt: NOW - 5000 },
    ],
    [
      { amr: ['pwd'], auth_time: SECONDS },
      { strong: false, authenticatedAt: NOW },
    ],
    [{ acr: 'phr' }, { strong: true, authenticatedAt: 0 }],
    [
      { amr: 'otp', auth_time: SECONDS },
      { strong: false, authenticatedAt: NOW },
    ],
    [
      { amr: ['mfa'], auth_time: SECONDS + 3600 },
      { strong: true, authenticatedAt: 0 },
    ],
    [
      { amr: ['mfa'], auth_time: String(SECONDS) },
      { strong: true, authenticatedAt: 0 },
    ],
    [
      { amr: ['mfa'], auth_time: -1 },
      { strong: true, authenticatedAt: 0 },
    ],
  ])('is read from %j', (claims, facts) => {
    expect(signInFacts(claims, NOW)).toEqual(facts);
  });

  it('is never recent or strong by claims of another shape', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (amr, acr, at) => {
        const facts = signInFacts({ amr, acr, auth_time: at }, NOW);
        if (typeof at !== 'number') expect(facts.authenticatedAt).toBe(0);
        if (!Array.isArray(amr) && typeof acr !== 'string') expect(facts.strong).toBe(false);
      }),
    );
  });
});

describe('The role of groups', () => {
  it.each([
    [['dealers/admins', 'dealers/compliance'], 'compliance'],
    [['dealers/admins'], 'admin'],
    ['dealers/admins', 'admin'],
    [['dealers/admins/guests'], null],
    [{ group: 'dealers/admins' }, null],
    [undefined, null],
  ])('of %j is the first of the setting, by the whole name', (groups, role) => {
    expect(roleOfGroups(groups, ROLES)).toBe(role);
  });
});
