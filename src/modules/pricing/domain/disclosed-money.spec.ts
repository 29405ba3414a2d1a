import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjustmentRule, NOW, priceFacts } from '../../../../test/fixtures/pricing/price-facts.js';
import { DapSchemas, HAS_DAP_SCHEMAS } from '../../../../test/support/dap-schemas.js';
import type { Money } from '../../../kernel/money.js';
import { minorUnitExponent, minorUnitsOf } from '../../../kernel/money.js';
import { compileValidator } from '../../../kernel/schema/validator.js';
import { disclosePrice } from './disclose-price.js';
import { PricingDisclosure } from './disclosure-schema.js';
import type { PriceFacts, StatedAdjustment, StatedCharge } from './price-facts.js';

const anyCurrency = fc.constantFrom('JPY', 'USD', 'EUR', 'KWD', 'BHD');
const anyMinor = fc.integer({ min: 0, max: 999_999_999_999 });
const anyText = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constant(''),
);

/** Facts whose amounts are all of one currency. */
const anyFacts: fc.Arbitrary<PriceFacts> = anyCurrency.chain((currency) => {
  const money: fc.Arbitrary<Money> = anyMinor.map((amount_minor) => ({ amount_minor, currency }));
  const charge: fc.Arbitrary<StatedCharge> = fc.record({
    name: anyText,
    amount: money,
    payee: fc.constantFrom('dealer', 'dealer_vendor', 'other'),
    includedInAdvertisedPrice: fc.boolean(),
  });
  const adjustment = fc.record(
    {
      name: anyText,
      direction: fc.constantFrom('discount', 'surcharge'),
      amount: money,
      eligibility: anyText,
      stacking: anyText,
    },
    { requiredKeys: ['name', 'direction'] },
  ) as fc.Arbitrary<StatedAdjustment>;
  return fc
    .record({
      advertised: money,
      charges: fc.oneof(
        fc.constant({ by: 'nobody' as const }),
        fc.record({
          by: fc.constantFrom('row' as const, 'rooftop' as const),
          charges: fc.array(charge, { maxLength: 5 }),
        }),
      ),
      statedAdjustments: fc.array(adjustment, { maxLength: 5 }),
      rules: fc.array(
        money.map((amount) => adjustmentRule({ amount })),
        { maxLength: 3 },
      ),
      includesCharges: fc.boolean(),
    })
    .map(priceFacts);
});

describe('Money of a disclosure', () => {
  it('is what was stated, minor unit for minor unit, in every part', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const shown = disclosePrice(facts, {}, NOW);
        const charges = facts.charges.by === 'nobody' ? [] : facts.charges.charges;
        expect(shown.advertised_price.amount).toEqual(facts.advertised);
        expect(shown.required_dealer_charges.map((c) => c.amount)).toEqual(charges.map((c) => c.amount));
        expect(shown.conditional_adjustments.map((a) => a.amount)).toEqual([
          ...facts.statedAdjustments.map((a) => a.amount),
          ...facts.rules.map((r) => r.amount),
        ]);
      }),
    );
  });

  it('holds no amount that nobody stated: nothing is added up', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const stated = new Set([
          facts.advertised.amount_minor,
          ...(facts.charges.by === 'nobody' ? [] : facts.charges.charges.map((c) => c.amount.amount_minor)),
          ...facts.statedAdjustments.flatMap((a) => (a.amount === undefined ? [] : [a.amount.amount_minor])),
          ...facts.rules.flatMap((r) => (r.amount === undefined ? [] : [r.amount.amount_minor])),
        ]);
        const text = JSON.stringify(disclosePrice(facts, {}, NOW));
        const shown = [...text.matchAll(/"amount_minor":(-?[\d.e+]+)/g)].map(([, minor]) => Number(minor));
        expect(shown.every((minor) => stated.has(minor) && Number.isSafeInteger(minor) && minor >= 0)).toBe(true);
      }),
    );
  });

  it('comes through JSON exactly as a decimal of the currency', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { currency, amount_minor: minor } = facts.advertised;
        const digits = String(minor).padStart(minorUnitExponent(currency) + 1, '0');
        const point = digits.length - minorUnitExponent(currency);
        const decimal = currency === 'JPY' ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
        const read = JSON.parse(JSON.stringify(disclosePrice(facts, {}, NOW))) as PricingDisclosure;
        expect(minorUnitsOf(decimal, currency)).toBe(read.advertised_price.amount.amount_minor);
      }),
    );
  });

  it.each([
    ['JPY', '2995000', 2_995_000],
    ['USD', '29950.05', 2_995_005],
    ['KWD', '9450.125', 9_450_125],
    ['BHD', '11999.5', 11_999_500],
  ])('of %s %s is %i', (currency, decimal, minor) => {
    const advertised = { amount_minor: minorUnitsOf(decimal, currency) ?? -1, currency };
    const facts = priceFacts({ advertised, charges: { by: 'nobody' }, statedAdjustments: [] });
    expect(disclosePrice(facts, {}, NOW).advertised_price.amount).toEqual({ amount_minor: minor, currency });
  });
});

describe('Any disclosure', () => {
  const problemsOf = compileValidator(PricingDisclosure);

  it('is one by our own schema, whatever a source says', () => {
    fc.assert(fc.property(anyFacts, (facts) => problemsOf(disclosePrice(facts, {}, NOW)).length === 0));
  });

  it.skipIf(!HAS_DAP_SCHEMAS)('is one by the published schema (skipped where it is absent)', () => {
    const schemas = new DapSchemas();
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const disclosure = disclosePrice(facts, {}, NOW);
        expect(schemas.violations('dealeragent.pricing.get_disclosure', disclosure)).toEqual([]);
      }),
    );
  });
});
