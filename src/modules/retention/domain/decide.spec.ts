import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actions, moments, periods, retentionCases } from '../../../../test/support/retention-cases.js';
import { goesAt, type RetentionCase } from '../../../../test/support/slow-retention.js';
import { cutoffsOf, isOver } from './cutoffs-of.js';
import type { RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import { decide, isDue, type RetainedRecord, type RetentionDecision } from './decide.js';

// eslint-disable-next-line no-restricted-properties -- a switch of this test, no setting: a million takes minutes
const CASES = Number(process.env['RETENTION_CASES'] ?? 2000);
const options = { numRuns: CASES };
const timeout = 60_000 + CASES * 5;

const decided = (
  { record, rules, holds, erasures, now, approvedAt }: RetentionCase,
  action: RetentionAction,
): RetentionDecision => decide(record, rules, holds, erasures, { now, approvedAt }, action);
/** When the action is due; what is kept is due at no time. */
const whenOf = (one: RetentionCase, action: RetentionAction): number => decided(one, action).at ?? Infinity;

/** The same steps, with nothing in use. */
const mapped = (steps: NonNullable<RetainedRecord['steps']>): NonNullable<RetainedRecord['steps']> =>
  Object.fromEntries(Object.entries(steps).map(([action, step]) => [action, { ...step, inUse: false }]));

describe('the decision about a record', () => {
  it('is what a second, slower implementation says, at its moment, before it and at any other', { timeout }, () => {
    const [seen, due] = [new Map<string, number>(), new Map<RetentionAction, number>()];
    fc.assert(
      fc.property(retentionCases, moments, actions, (one, other, asked) => {
        const { action, at, because } = decided(one, asked);
        seen.set(because[0].kind, (seen.get(because[0].kind) ?? 0) + 1);
        expect(action).toBe(at === null ? 'keep' : asked);
        if (at !== null) due.set(asked, (due.get(asked) ?? 0) + 1);
        if (at === null) expect(goesAt(one, Date.UTC(2200, 0, 1), asked)).toBe(false);
        else expect([goesAt(one, at - 1, asked), goesAt(one, at, asked)]).toEqual([false, true]);
        expect(isDue({ action, at, because }, other)).toBe(goesAt(one, other, asked));
      }),
      options,
    );
    for (const action of ['delete', 'redact', 'anonymise'] as const)
      expect(due.get(action), action).toBeGreaterThan(CASES / 100);
    for (const kind of ['hold', 'in_use', 'floor', 'erasure', 'ceiling', 'no_rule', 'no_ceiling', 'nothing_left'])
      expect(seen.get(kind), kind).toBeGreaterThan(CASES / 200);
  });

  it('is never sooner with another hold or floor, and never later with a shorter ceiling', { timeout }, () => {
    fc.assert(
      fc.property(retentionCases, retentionCases, periods, fc.nat(), actions, (one, other, period, pick, asked) => {
        const { policy } = one.rules;
        const withRules = (rules: typeof policy.rules): RetentionCase => ({
          ...one,
          rules: { ...one.rules, policy: { ...policy, rules } },
        });
        const before = whenOf(one, asked);
        expect(whenOf({ ...one, holds: [...one.holds, ...other.holds] }, asked)).toBeGreaterThanOrEqual(before);
        if (policy.rules.length === 0) return;
        const index = pick % policy.rules.length;
        const rule = policy.rules[index];
        if (rule === undefined) return;
        const added = { ...rule, ruleId: 'added' };
        const floor = withRules([...policy.rules, { ...added, floor: period, ceiling: null }]);
        expect(whenOf(floor, asked)).toBeGreaterThanOrEqual(before);
        const ceiling = withRules([...policy.rules, { ...added, floor: null, ceiling: period }]);
        expect(whenOf(ceiling, asked)).toBeLessThanOrEqual(before);
      }),
      options,
    );
  });

  it('is the one that the cutoffs of its category give, for every record', { timeout }, () => {
    const over = { delete: 0, redact: 0, anonymise: 0, shred: 0 };
    fc.assert(
      fc.property(retentionCases, actions, ({ record, rules, now }, action) => {
        const all = cutoffsOf(rules, now).filter(({ category }) => category === record.category);
        const cutoffs = all.find((one) => one.action === action);
        const free = { ...record, inUse: false, steps: mapped(record.steps ?? {}) };
        const due = isDue(decide(free, rules, [], [], { now, approvedAt: null }, action), now);
        expect(cutoffs !== undefined && isOver(free, cutoffs)).toBe(due);
        if (due) over[action] += 1;
      }),
      options,
    );
    expect(over.delete).toBeGreaterThan(CASES / 50);
    expect(Math.min(over.redact, over.anonymise)).toBeGreaterThan(CASES / 1000);
  });
});
