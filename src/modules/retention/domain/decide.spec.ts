import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moments, periods, retentionCases } from '../../../../test/support/retention-cases.js';
import { goesAt, type RetentionCase } from '../../../../test/support/slow-retention.js';
import { cutoffsOf, isOver } from './cutoffs-of.js';
import { decide, isDue, type RetentionDecision } from './decide.js';

// eslint-disable-next-line no-restricted-properties -- a switch of this test, no setting: a million takes minutes
const CASES = Number(process.env['RETENTION_CASES'] ?? 2000);
const options = { numRuns: CASES };
const timeout = 60_000 + CASES * 5;

const decided = ({ record, rules, holds, erasures, now, approvedAt }: RetentionCase): RetentionDecision =>
  decide(record, rules, holds, erasures, { now, approvedAt });
/** When a record goes; what is kept goes at no time. */
const whenOf = (one: RetentionCase): number => decided(one).at ?? Infinity;

describe('the decision about a record', () => {
  it('is what a second, slower implementation says, at its moment, before it and at any other', { timeout }, () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(retentionCases, moments, (one, other) => {
        const { action, at, because } = decided(one);
        seen.set(because[0].kind, (seen.get(because[0].kind) ?? 0) + 1);
        expect(action === 'keep').toBe(at === null);
        if (at === null) expect(goesAt(one, Date.UTC(2200, 0, 1))).toBe(false);
        else expect([goesAt(one, at - 1), goesAt(one, at)]).toEqual([false, true]);
        expect(isDue({ action, at, because }, other)).toBe(goesAt(one, other));
      }),
      options,
    );
    for (const kind of ['hold', 'in_use', 'floor', 'erasure', 'ceiling', 'no_rule', 'no_ceiling'])
      expect(seen.get(kind), kind).toBeGreaterThan(CASES / 200);
  });

  it('is never sooner with another hold or floor, and never later with a shorter ceiling', { timeout }, () => {
    fc.assert(
      fc.property(retentionCases, retentionCases, periods, fc.nat(), (one, other, period, pick) => {
        const { policy } = one.rules;
        const withRules = (rules: typeof policy.rules): RetentionCase => ({
          ...one,
          rules: { ...one.rules, policy: { ...policy, rules } },
        });
        expect(whenOf({ ...one, holds: [...one.holds, ...other.holds] })).toBeGreaterThanOrEqual(whenOf(one));
        if (policy.rules.length === 0) return;
        const index = pick % policy.rules.length;
        const rule = policy.rules[index];
        if (rule === undefined) return;
        const added = { ...rule, ruleId: 'added' };
        expect(whenOf(withRules([...policy.rules, { ...added, floor: period, ceiling: null }]))).toBeGreaterThanOrEqual(
          whenOf(one),
        );
        expect(whenOf(withRules([...policy.rules, { ...added, floor: null, ceiling: period }]))).toBeLessThanOrEqual(
          whenOf(one),
        );
      }),
      options,
    );
  });

  it('is the one that the cutoffs of its category give, for every record', { timeout }, () => {
    let over = 0;
    fc.assert(
      fc.property(retentionCases, ({ record, rules, now }) => {
        const cutoffs = cutoffsOf(rules, now).find(({ category }) => category === record.category);
        const free = { ...record, inUse: false };
        const due = isDue(decide(free, rules, [], [], { now, approvedAt: null }), now);
        expect(cutoffs !== undefined && isOver(free, cutoffs)).toBe(due);
        if (due) over += 1;
      }),
      options,
    );
    expect(over).toBeGreaterThan(CASES / 50);
  });
});
