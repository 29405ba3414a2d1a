import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { millimetresOf } from './distance.js';

const FACTORS = { mi: 1_609_344n, km: 1_000_000n } as const;
const unit = fc.constantFrom('mi' as const, 'km' as const);
/** What the database can hold. */
const stored = fc.oneof(fc.integer({ min: 0, max: 2_147_483_647 }), fc.constantFrom(0, 1, 2_147_483_647));
/** What a request can ask for: any integer that JSON can write. */
const asked = fc.oneof(
  stored,
  fc.maxSafeNat(),
  fc.constantFrom(5_596_825_000, 5_596_826_000, 9_007_199_254, 9_007_199_255, Number.MAX_SAFE_INTEGER, 1e300, 1e308),
);

const order = (a: bigint | number, b: bigint | number): number => (a < b ? -1 : a > b ? 1 : 0);

describe('millimetresOf', () => {
  it('compares a stored odometer with any distance as exact integers do', () => {
    fc.assert(
      fc.property(stored, unit, asked, unit, (value, valueUnit, limit, limitUnit) => {
        const exact = order(BigInt(value) * FACTORS[valueUnit], BigInt(limit) * FACTORS[limitUnit]);
        expect(order(millimetresOf(value, valueUnit), millimetresOf(limit, limitUnit))).toBe(exact);
      }),
      { numRuns: 2000 },
    );
  });

  it('tells neighbours apart at the largest stored odometer', () => {
    const most = 2_147_483_647;
    expect(millimetresOf(most, 'mi') - millimetresOf(most - 1, 'mi')).toBe(1_609_344);
    expect(BigInt(millimetresOf(most, 'mi'))).toBe(BigInt(most) * FACTORS.mi);
  });

  it('is never infinite: a limit that no number holds is not the same as no limit', () => {
    expect(millimetresOf(1e308, 'mi')).toBe(Number.MAX_SAFE_INTEGER);
  });
});
