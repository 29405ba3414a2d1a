import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GrantRecord, GroupDelegation } from './grant-record.js';
import { effectiveGrant, refusalOfGrant } from './grant-record.js';

const NOW = 1_000_000;
const SCOPES = ['dealeragent:inventory:read', 'dealeragent:pricing:read'];
const DELEGATION: GroupDelegation = {
  delegationId: 'dlg.1',
  issuer: 'key1',
  grantee: 'agent:a',
  rooftops: 'all',
  scopes: SCOPES,
  expiresAt: NOW + 10,
  revokedAt: null,
  inForceAt: NOW - 10,
};
const GRANT: GrantRecord = {
  grantId: 'grant.1',
  version: 1,
  subject: 'agent:a',
  organizationId: 'org.a',
  rooftopIds: ['roof.1'],
  delegation: null,
  profiles: [],
  scopes: SCOPES,
  purposes: [],
  issuer: 'key1',
  expiresAt: NOW + 20,
  revokedAt: null,
};

describe('A grant', () => {
  it.each([
    ['in force', {}, undefined],
    ['revoked now', { revokedAt: NOW }, 'grant_revoked'],
    ['to be revoked', { revokedAt: NOW + 1 }, undefined],
    ['expired now', { expiresAt: NOW }, 'grant_expired'],
    ['resting on a delegation', { delegation: DELEGATION }, undefined],
    ['resting on a revoked one', { delegation: { ...DELEGATION, revokedAt: NOW } }, 'delegation_revoked'],
    ['resting on an expired one', { delegation: { ...DELEGATION, expiresAt: NOW } }, 'delegation_expired'],
    ['resting on one of another', { delegation: { ...DELEGATION, grantee: 'b' } }, 'delegation_of_other_subject'],
  ] as const)('%s counts or not: %s', (_name, changes, refusal) => {
    expect(refusalOfGrant({ ...GRANT, ...changes }, NOW)).toBe(refusal);
  });

  it('names its rooftops, or takes those of its delegation', () => {
    expect(effectiveGrant(GRANT).rooftops).toEqual({ kind: 'listed', rooftopIds: ['roof.1'] });
    expect(effectiveGrant({ ...GRANT, rooftopIds: [], delegation: DELEGATION }).rooftops).toEqual({
      kind: 'group',
      delegationId: 'dlg.1',
      rooftopIds: 'all',
    });
  });

  it('never amounts to more than its delegation, and never lasts longer than either', () => {
    const times = fc.integer({ min: NOW - 3, max: NOW + 3 });
    const ends = fc.option(times, { nil: null });
    const scopes = fc.subarray(SCOPES);
    const both = fc.tuple(times, ends, scopes, times, ends, scopes);
    fc.assert(
      fc.property(both, ([expiresAt, revokedAt, granted, delegationEnd, delegationRevoked, delegated]) => {
        const delegation = {
          ...DELEGATION,
          expiresAt: delegationEnd,
          revokedAt: delegationRevoked,
          scopes: delegated,
        };
        const record = { ...GRANT, expiresAt, revokedAt, scopes: granted, delegation };
        const grant = effectiveGrant(record);
        expect(grant.scopes).toEqual(granted.filter((scope) => delegated.includes(scope)));
        expect(grant.expiresAt).toBe(Math.min(expiresAt, delegationEnd));
        const ended = [expiresAt, revokedAt, delegationEnd, delegationRevoked].some((t) => t !== null && t <= NOW);
        expect(refusalOfGrant(record, NOW) !== undefined).toBe(ended);
      }),
    );
  });
});
