import { describe, expect, it } from 'vitest';
import type { SubjectRecord } from '../../../kernel/ports/subject-data.js';
import type { RetentionPolicyVersion, RetentionRule, RulesInForce } from '../../retention/index.js';
import { decideErasure } from './decide-erasure.js';

const NOW = Date.UTC(2026, 10, 30);
const ASKED = { requestId: 'privacy.a', verifiedAt: NOW - 1000, names: { person: ['staff.jane'] } };

const record = (changes: Partial<SubjectRecord> = {}): SubjectRecord => ({
  ...{ recordId: 'req_A', category: 'audit_event', rooftops: [], holds: [], keeps: null, said: {} },
  clocks: { created: NOW - 86_400_000 },
  ...changes,
});
const rulesOf = (...rules: RetentionRule[]): RulesInForce => {
  const policy: RetentionPolicyVersion = {
    ...{ policyId: 'p', name: 'P', version: 1, state: 'active', rules, rooftops: [] },
    ...{ contentHash: 'a'.repeat(64), activatedAt: 0 },
  };
  return { policy, jurisdictions: new Map(), home: '*' };
};
const FLOOR: RetentionRule = {
  ...{ ruleId: 'audit.1m', category: 'audit_event', jurisdiction: '*', clock: 'created', action: 'redact' },
  ...{ floor: { count: 1, unit: 'months' }, ceiling: null, ground: 'proof', citation: 'test' },
};

describe('the verdict on a record of somebody who asked to be forgotten', () => {
  it('is that it goes, when nothing keeps it', () => {
    expect(decideErasure(record(), rulesOf(), ASKED, NOW)).toEqual({ goes: true });
  });

  it('is that it stays under a hold, whatever else is said, with the hold as its ground', () => {
    const held = record({ holds: [{ holdId: 'hold.a', counting: false, freeFrom: null }] });
    for (const rules of [rulesOf(), rulesOf(FLOOR), undefined])
      expect(decideErasure(held, rules, ASKED, NOW)).toEqual({
        ...{ goes: false, why: 'hold', grounds: ['hold.a'], until: null },
      });
  });

  it('is that it stays through the cooling period of a released hold, and while one is counted', () => {
    const cooling = record({ holds: [{ holdId: 'hold.a', counting: false, freeFrom: NOW + 1000 }] });
    const counting = record({ holds: [{ holdId: 'hold.b', counting: true, freeFrom: null }] });
    expect(decideErasure(cooling, rulesOf(), ASKED, NOW)).toMatchObject({ why: 'hold' });
    expect(decideErasure(counting, rulesOf(), ASKED, NOW)).toMatchObject({ why: 'hold' });
  });

  it('is that it stays until its floor ends, to the moment', () => {
    const until = Date.UTC(2026, 11, 29);
    const verdict = decideErasure(record(), rulesOf(FLOOR), ASKED, NOW);
    expect(verdict).toEqual({ goes: false, why: 'floor', grounds: ['audit.1m'], until });
    expect(decideErasure(record(), rulesOf(FLOOR), ASKED, until - 1)).toMatchObject({ goes: false });
    expect(decideErasure(record(), rulesOf(FLOOR), ASKED, until)).toEqual({ goes: true });
  });

  it('is that it stays without a policy in force, and where the place keeps proof', () => {
    expect(decideErasure(record(), undefined, ASKED, NOW)).toMatchObject({ goes: false, why: 'no_policy' });
    expect(decideErasure(record({ keeps: 'two persons' }), rulesOf(), ASKED, NOW)).toEqual({
      ...{ goes: false, why: 'proof', grounds: ['two persons'], until: null },
    });
  });
});
