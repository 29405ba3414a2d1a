import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOf, lastBeginning } from './period.js';
import { PERIOD_UNITS, type Period } from './retention-policy.js';

const at = (text: string): number => Date.parse(text);
const end = (from: string, count: number, unit: Period['unit'], plusDays = 0): string =>
  new Date(endOf(at(from), { count, unit, plusDays })).toISOString();

describe('when a period is over', () => {
  it.each([
    ['2026-01-15T10:00:00.000Z', 1, 'months', '2026-02-15T10:00:00.000Z'],
    ['2026-01-31T10:00:00.000Z', 1, 'months', '2026-03-01T00:00:00.000Z'],
    ['2026-01-29T10:00:00.000Z', 1, 'months', '2026-03-01T00:00:00.000Z'],
    ['2028-01-29T10:00:00.000Z', 1, 'months', '2028-02-29T10:00:00.000Z'],
    ['2026-01-31T23:59:59.999Z', 3, 'months', '2026-05-01T00:00:00.000Z'],
    ['2026-11-30T10:00:00.000Z', 25, 'months', '2028-12-30T10:00:00.000Z'],
    ['2028-02-29T08:00:00.000Z', 1, 'years', '2029-03-01T00:00:00.000Z'],
    ['2028-02-29T08:00:00.000Z', 4, 'years', '2032-02-29T08:00:00.000Z'],
    ['2026-12-31T08:00:00.000Z', 2, 'months', '2027-03-01T00:00:00.000Z'],
    ['2099-02-28T08:00:00.000Z', 1, 'years', '2100-02-28T08:00:00.000Z'],
  ] as const)('%s and %i %s is %s', (from, count, unit, expected) => {
    expect(end(from, count, unit)).toBe(expected);
  });

  it('counts days as 24 hours where a zone loses or repeats one', () => {
    expect(end('2026-03-08T01:30:00-06:00', 1, 'days')).toBe('2026-03-09T07:30:00.000Z');
    expect(end('2026-11-01T00:30:00-05:00', 24, 'hours')).toBe(end('2026-11-01T00:30:00-05:00', 1, 'days'));
  });

  it('keeps the time of day in UTC over half a year', () => {
    expect(end('2026-07-15T10:00:00-05:00', 6, 'months')).toBe('2027-01-15T15:00:00.000Z');
  });

  it('adds days after months', () => {
    expect(end('2026-01-31T10:00:00Z', 1, 'months', 2)).toBe('2026-03-03T00:00:00.000Z');
    expect(end('2026-01-01T00:00:00Z', 5, 'years', 90)).toBe('2031-04-01T00:00:00.000Z');
  });
});

const moments = fc.integer({ min: at('1990-01-01T00:00:00Z'), max: at('2110-01-01T00:00:00Z') });
const periods: fc.Arbitrary<Period> = fc.record(
  {
    count: fc.integer({ min: 1, max: 60 }),
    unit: fc.constantFrom(...PERIOD_UNITS),
    plusDays: fc.integer({ min: 0, max: 99 }),
  },
  { requiredKeys: ['count', 'unit'] },
);
/** Around month ends, where the rules differ. */
const brinks = fc
  .tuple(fc.integer({ min: 0, max: 1200 }), fc.integer({ min: -4 * 86_400_000, max: 86_400_000 }))
  .map(([month, offset]) => Date.UTC(2000, month, 1) + offset);

describe('periods', () => {
  it('never end earlier for a later beginning', () => {
    fc.assert(
      fc.property(fc.oneof(moments, brinks), fc.nat({ max: 4 * 86_400_000 }), periods, (from, later, period) => {
        expect(endOf(from + later, period)).toBeGreaterThanOrEqual(endOf(from, period));
      }),
      { numRuns: 2000 },
    );
  });

  it('end where the last beginning says', () => {
    fc.assert(
      fc.property(fc.oneof(moments, brinks), periods, (now, period) => {
        const last = lastBeginning(now, period);
        expect(endOf(last, period)).toBeLessThanOrEqual(now);
        expect(endOf(last + 1, period)).toBeGreaterThan(now);
      }),
      { numRuns: 2000 },
    );
  });
});
