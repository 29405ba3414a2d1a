import { describe, expect, it } from 'vitest';
import { formViolations, policyViolations } from './check-policy.js';
import { compareDocuments } from './compare-documents.js';
import { mayExceed } from './compare-periods.js';
import { commonPlace, couldApply, placeOf } from './places.js';
import type { PeriodDocument, RetentionPolicyDocument, RuleDocument } from './policy-document.js';
import type { Period } from './retention-policy.js';
import { STARTING_PROFILES } from './starting-profiles.js';

const PLACES = new Map([
  ['roof.tx', 'US-TX'],
  ['roof.ca', 'US-CA'],
]);
const months = (count: number): PeriodDocument => ({ count, unit: 'months' });
const rule = (rule_id: string, more: Partial<RuleDocument>): RuleDocument => ({
  ...{ rule_id, category: 'audit_event', jurisdiction: '*', clock: 'created', floor: null, ceiling: months(84) },
  ...{ action: 'delete', ground: 'Test', citation: 'Test' },
  ...more,
});
type Own = RetentionPolicyDocument['rooftops'][number];
const own = (more: Partial<Own>): Own => ({
  rooftop_id: 'roof.tx',
  category: 'audit_event',
  floor: null,
  ceiling: null,
  ground: 'Test',
  ...more,
});
const refused = (rules: RuleDocument[], rooftops: Own[] = []): string[] =>
  policyViolations({ rules, rooftops }, PLACES).map(({ pointer }) => pointer);

describe('activation', () => {
  it('refuses a floor above a ceiling that applies with it, and lets it be where the two never meet', () => {
    const floor = (jurisdiction: string, count: number): RuleDocument =>
      rule('floor', { jurisdiction, floor: months(count), ceiling: null });
    expect(refused([rule('all', {}), floor('US-CA', 85)])).toEqual(['/rules/1/floor']);
    expect(refused([rule('all', {}), floor('US-CA', 84)])).toEqual([]);
    expect(refused([rule('tx', { jurisdiction: 'US-TX', ceiling: months(12) }), floor('US-CA', 36)])).toEqual([]);
    expect(refused([rule('ca', { jurisdiction: 'US-CA', ceiling: months(12) }), floor('US', 36)])).toEqual([
      '/rules/1/floor',
    ]);
    expect(refused([rule('all', { ceiling: { count: 365, unit: 'days' } }), floor('*', 12)])).toEqual([
      '/rules/1/floor',
    ]);
  });

  it('refuses an action that nothing carries out, for what is stored: its ceiling would be published and never kept', () => {
    const session = { category: 'session', clock: 'last_used' } as const;
    for (const action of ['redact', 'anonymise', 'shred'] as const) {
      expect(refused([rule('a', { ...session, action })])).toEqual(['/rules/0/action']);
      const [violation] = policyViolations({ rules: [rule('a', { ...session, action })], rooftops: [] }, PLACES);
      expect(violation?.explanation).toMatch(
        { redact: /tampering/, anonymise: /names persons/, shred: /key of its own/ }[action],
      );
    }
    expect(refused([rule('a', { action: 'anonymise' })]), 'the trail is redacted').toEqual(['/rules/0/action']);
    expect(refused([rule('a', { category: 'lead', clock: 'last_contact', action: 'anonymise' })])).toEqual([]);
  });

  it('refuses a clock that the records do not have, and two clocks in one category', () => {
    expect(refused([rule('a', { clock: 'last_used' })])).toEqual(['/rules/0/clock']);
    expect(
      refused([
        rule('a', { category: 'session', clock: 'last_used' }),
        rule('b', { category: 'session', clock: 'closed' }),
      ]),
    ).toEqual(['/rules/1/clock']);
    expect(refused([rule('a', {}), rule('a', {})])).toEqual(['/rules/1/rule_id']);
    expect(refused([rule('a', { ceiling: null })])).toEqual(['/rules/0']);
    expect(refused([rule('a', { category: 'legal_hold' })])).toEqual(['/rules/0/clock']);
    expect(refused([])).toEqual(['/rules']);
  });

  it('lets records be redacted or anonymised before they are deleted, by one action, and holds floors against both', () => {
    const access = { category: 'access_history', clock: 'closed' } as const;
    const redacting = rule('b', { action: 'redact', ceiling: months(25) });
    expect(refused([rule('a', {}), redacting])).toEqual([]);
    expect(refused([redacting]), 'never deleted').toEqual([]);
    expect(refused([rule('a', access), rule('b', { ...access, action: 'anonymise', ceiling: months(25) })])).toEqual(
      [],
    );
    const lead = { category: 'lead', clock: 'last_contact' } as const;
    const two = [rule('a', { ...lead, action: 'anonymise' }), rule('b', { ...lead, action: 'redact' })];
    expect(refused(two)).toEqual(['/rules/1/action']);
    const floor = rule('floor', { floor: months(36), ceiling: null });
    expect(refused([rule('a', {}), redacting, floor])).toEqual(['/rules/2/floor']);
    expect(refused([rule('a', {}), redacting], [own({ ceiling: months(60) })]), 'of the end').toEqual([]);
    expect(refused([rule('a', {}), redacting], [own({ ceiling: months(85) })])).toEqual(['/rooftops/0/ceiling']);
    expect(refused([rule('a', {}), redacting], [own({ floor: months(36) })])).toEqual(['/rooftops/0']);
  });

  it('lets rooftops tighten and refuses what loosens', () => {
    const rules = [rule('all', { floor: months(12), ceiling: months(84) })];
    expect(refused(rules, [own({ ceiling: months(60), floor: months(24) })])).toEqual([]);
    expect(refused(rules, [own({ ceiling: months(85) })])).toEqual(['/rooftops/0/ceiling']);
    expect(refused(rules, [own({ floor: months(11) })])).toEqual(['/rooftops/0/floor']);
    expect(refused(rules, [own({ floor: months(85) })])).toEqual(['/rooftops/0']);
    expect(refused(rules, [own({ ceiling: months(11) })])).toEqual(['/rooftops/0']);
    expect(refused(rules, [own({ rooftop_id: 'roof.x', ceiling: months(60) })])).toEqual(['/rooftops/0/rooftop_id']);
    expect(refused(rules, [own({ category: 'session', ceiling: months(1) })])).toEqual(['/rooftops/0/category']);
    expect(refused(rules, [own({ ceiling: months(60) }), own({ ceiling: months(50) })])).toEqual(['/rooftops/1']);
  });
});

describe('a starting profile', () => {
  it.each(STARTING_PROFILES)('is one that activation takes: $profileId', ({ document }) => {
    expect(formViolations(document)).toEqual([]);
    expect(policyViolations(document, PLACES)).toEqual([]);
    expect(
      document.rules.filter((r) => r.citation === '' || r.as_of === undefined || r.counsel !== 'to_confirm'),
    ).toEqual([]);
  });
});

it('shows which rules differ, without their order', () => {
  const [a, b, c] = [rule('a', {}), rule('b', {}), rule('c', {})];
  const changed = { ...b, ceiling: months(1) };
  expect(compareDocuments({ rules: [a, b], rooftops: [] }, { rules: [c, changed, a], rooftops: [] })).toEqual([
    { kind: 'rule', id: 'b', before: b, after: changed },
    { kind: 'rule', id: 'c', before: null, after: c },
  ]);
});

it.each<[Period, Period, boolean]>([
  [{ count: 12, unit: 'months' }, { count: 1, unit: 'years' }, false],
  [{ count: 1, unit: 'years' }, { count: 365, unit: 'days' }, true],
  [{ count: 1, unit: 'years' }, { count: 366, unit: 'days' }, false],
  [{ count: 29, unit: 'days' }, { count: 1, unit: 'months' }, true],
  [{ count: 28, unit: 'days' }, { count: 1, unit: 'months' }, false],
  [{ count: 48, unit: 'hours' }, { count: 1, unit: 'days', plusDays: 1 }, false],
  [{ count: 49, unit: 'hours' }, { count: 2, unit: 'days' }, true],
])('%o may exceed %o: %s', (one, other, expected) => {
  expect(mayExceed(one, other)).toBe(expected);
});

it('knows where a rooftop is as far as its address says, and counts every rule that could apply there', () => {
  expect([placeOf({ country: 'us', region: 'tx' }), placeOf({ country: 'US', region: 'Texas' }), placeOf({})]).toEqual([
    'US-TX',
    'US',
    '*',
  ]);
  expect([
    commonPlace(['US-TX', 'US-TX']),
    commonPlace(['US-TX', 'US-CA']),
    commonPlace(['US-TX', '*']),
    commonPlace([]),
  ]).toEqual(['US-TX', 'US', '*', '*']);
  expect(['US-CA', 'US', '*', 'CA'].filter((jurisdiction) => couldApply(jurisdiction, 'US'))).toEqual([
    'US-CA',
    'US',
    '*',
  ]);
  expect(['US-CA', 'US', '*', 'US-TX'].filter((jurisdiction) => couldApply(jurisdiction, 'US-TX'))).toEqual([
    'US',
    '*',
    'US-TX',
  ]);
});
