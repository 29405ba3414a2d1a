import fc from 'fast-check';
import type { RetentionAction } from '../../src/kernel/retention/category-cutoffs.js';
import type { ClockBasis, RetentionCategory } from '../../src/kernel/retention/retention-categories.js';
import type {
  HoldInForce,
  Period,
  RetentionRule,
  RooftopTightening,
  RulesInForce,
  VerifiedErasure,
} from '../../src/modules/retention/index.js';
import type { RetentionCase } from './slow-retention.js';

const CATEGORIES: readonly RetentionCategory[] = ['lead', 'session'];
const CLOCKS: readonly ClockBasis[] = ['created', 'last_used', 'closed', 'last_contact'];
const PLACES = ['*', 'US', 'US-CA', 'US-TX', 'CA', 'CA-ON'];
const ROOFTOPS = ['roof.1', 'roof.2', 'roof.3'];
const SUBJECTS = ['person.1', 'person.2', 'person.3'];
const DAY = 86_400_000;

/** Around the ends of months, where counting is hardest, and anywhere else. */
const moments = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: -4 * DAY, max: DAY }))
    .map(([month, offset]) => Date.UTC(2020, month, 1) + offset),
  fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) }),
);
const perhaps = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null });
const some = <T>(values: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...values], { minLength: 1 });

const periods: fc.Arbitrary<Period> = fc.oneof(
  fc.record({ count: fc.integer({ min: 1, max: 60 }), unit: fc.constantFrom('months' as const, 'days' as const) }),
  fc.record({
    count: fc.integer({ min: 1, max: 5 }),
    unit: fc.constant('years' as const),
    plusDays: fc.integer({ min: 0, max: 90 }),
  }),
  fc.record({ count: fc.integer({ min: 1, max: 500 }), unit: fc.constant('hours' as const) }),
);

/** Ends alone, a step alone, and both. */
const terms = fc.record({
  clock: fc.constantFrom(...CLOCKS),
  actions: fc.constantFrom<(readonly RetentionAction[])[]>(
    ['delete'],
    ['anonymise'],
    ['delete', 'redact'],
    ['delete', 'anonymise'],
  ),
});
const sides = fc.record({ floor: perhaps(periods), ceiling: perhaps(periods) });
const rulesOf = (category: RetentionCategory): fc.Arbitrary<RetentionRule[]> =>
  fc
    .tuple(terms, fc.array(fc.tuple(fc.constantFrom(...PLACES), sides, fc.nat()), { maxLength: 4 }))
    .map(([shared, said]) =>
      said.map(([jurisdiction, limits, pick], i) => ({
        ruleId: `${category}.${i}`,
        category,
        jurisdiction,
        clock: shared.clock,
        action: shared.actions[pick % shared.actions.length] ?? 'delete',
        ...limits,
        ground: '',
        citation: '',
      })),
    );
const tightenings: fc.Arbitrary<RooftopTightening[]> = fc.array(
  fc
    .tuple(fc.constantFrom(...ROOFTOPS), fc.constantFrom(...CATEGORIES), sides)
    .map(([rooftopId, category, limits]) => ({ rooftopId, category, ...limits, ground: '' })),
  { maxLength: 2 },
);

const rules: fc.Arbitrary<RulesInForce> = fc
  .tuple(
    rulesOf('lead'),
    rulesOf('session'),
    fc.uniqueArray(tightenings, { maxLength: 1 }),
    fc.array(fc.constantFrom(...PLACES), { maxLength: 3 }),
    fc.constantFrom(...PLACES),
  )
  .map(([leads, sessions, own, places, home]) => ({
    policy: {
      policyId: 'policy.a',
      name: 'A',
      version: 1,
      state: 'active',
      rules: [...leads, ...sessions],
      rooftops: [...new Map(own.flat().map((t) => [`${t.rooftopId}/${t.category}`, t])).values()],
      contentHash: '',
      activatedAt: 0,
    },
    jurisdictions: new Map(places.map((place, i) => [ROOFTOPS[i] ?? 'roof.4', place])),
    home,
  }));

export const holdsInForce: fc.Arbitrary<HoldInForce> = fc
  .record({
    holdId: fc.constantFrom('hold.1', 'hold.2'),
    counting: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    categories: perhaps(some(CATEGORIES)),
    recordIds: perhaps(some(['record.1', 'record.2'])),
    rooftopIds: perhaps(some(ROOFTOPS)),
    subjects: perhaps(some(SUBJECTS)),
    from: perhaps(moments),
    length: perhaps(fc.integer({ min: 1, max: 2000 * DAY })),
    released: perhaps(fc.tuple(moments, fc.constantFrom(0, 3 * DAY))),
  })
  .map(({ length, released, ...hold }) => ({
    ...hold,
    until: length === null ? null : (hold.from ?? Date.UTC(2024, 0, 1)) + length,
    releasedAt: released?.[0] ?? null,
    freeFrom: released === null ? null : released[0] + released[1],
  }));

const erasures: fc.Arbitrary<VerifiedErasure> = fc.record({
  requestId: fc.constantFrom('erase.1', 'erase.2'),
  verifiedAt: moments,
  subjects: some(SUBJECTS),
  exceptions: fc.oneof(
    fc.constant([]),
    some(CATEGORIES).map((categories) => categories.map((category) => ({ category, ground: 'a law' }))),
  ),
});

export const coverableRecords = fc.record({
  category: fc.constantFrom(...CATEGORIES),
  recordId: fc.constantFrom('record.1', 'record.2', 'record.3'),
  rooftops: perhaps(fc.subarray(ROOFTOPS)),
  subjects: perhaps(fc.subarray(SUBJECTS)),
});
const clocks = fc.record(
  { created: perhaps(moments), last_used: perhaps(moments), closed: perhaps(moments), last_contact: perhaps(moments) },
  { requiredKeys: [] },
);

const oneIn = (many: number): fc.Arbitrary<boolean> => fc.integer({ min: 1, max: many }).map((n) => n === many);
const step = fc.record({ left: oneIn(8).map((done) => !done), inUse: oneIn(10) });
const steps = fc.oneof({ weight: 4, arbitrary: fc.record({ redact: step, anonymise: step }) }, fc.constant({}));

/** Records, rules, holds and requests, so that each of them often decides. */
export const retentionCases: fc.Arbitrary<RetentionCase> = fc.record({
  record: fc
    .tuple(coverableRecords, clocks, fc.integer({ min: 0, max: 19 }), steps)
    .map(([coverable, begun, n, left]) => ({
      ...coverable,
      clocks: begun,
      steps: left,
      ...(n === 0 ? { inUse: true } : {}),
    })),
  rules,
  holds: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(holdsInForce, { maxLength: 3 })),
  erasures: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(erasures, { maxLength: 2 })),
  now: moments,
  approvedAt: perhaps(moments),
});
export const actions = fc.constantFrom<RetentionAction[]>('delete', 'redact', 'anonymise');
export { moments, periods };
