import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AVAILABILITY_BANDS } from '../../../kernel/availability-band.js';
import { COMPLETENESS_FORMULA, completenessOf } from './completeness.js';

const ALL = {
  advertised_price_present_and_authoritative: true,
  required_dealer_charges_itemized: true,
  conditional_adjustments_have_eligibility_and_stacking: true,
  government_charges_classified: true,
  availability_band: 'verified_current' as const,
};
const anyComponents = fc.record({
  advertised_price_present_and_authoritative: fc.boolean(),
  required_dealer_charges_itemized: fc.boolean(),
  conditional_adjustments_have_eligibility_and_stacking: fc.boolean(),
  government_charges_classified: fc.boolean(),
  availability_band: fc.constantFrom(...AVAILABILITY_BANDS),
});

describe('completenessOf', () => {
  it.each([
    [ALL, 100],
    [{ ...ALL, availability_band: 'recent_authoritative' as const }, 85],
    [{ ...ALL, advertised_price_present_and_authoritative: false, availability_band: 'stale' as const }, 60],
    [{ ...ALL, advertised_price_present_and_authoritative: false, availability_band: 'asserted' as const }, 65],
    [
      {
        advertised_price_present_and_authoritative: false,
        required_dealer_charges_itemized: false,
        conditional_adjustments_have_eligibility_and_stacking: false,
        government_charges_classified: false,
        availability_band: 'unknown' as const,
      },
      0,
    ],
  ])('scores %j', (components, score) => {
    expect(completenessOf(components)).toEqual({ score, components });
  });

  it('gives each component its own points, and a hundred altogether', () => {
    const { parts, band } = COMPLETENESS_FORMULA;
    expect(parts.reduce((sum, part) => sum + part.points, 0) + Math.max(...Object.values(band.points))).toBe(100);
    expect([...parts.map((p) => p.component), band.component].toSorted()).toEqual(Object.keys(ALL).toSorted());
  });

  it('is a whole number from 0 to 100 and never falls when more is known', () => {
    fc.assert(
      fc.property(anyComponents, (components) => {
        const { score } = completenessOf(components);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        for (const { component } of COMPLETENESS_FORMULA.parts)
          expect(completenessOf({ ...components, [component]: true }).score).toBeGreaterThanOrEqual(score);
      }),
    );
  });
});
