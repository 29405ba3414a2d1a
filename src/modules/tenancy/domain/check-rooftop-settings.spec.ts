import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRooftopSettings } from './check-rooftop-settings.js';
import { DEFAULT_ROOFTOP_SETTINGS } from './rooftop-settings.js';

const rule = (id: string, members: object = {}): object => ({
  adjustment_id: id,
  name: 'Loyalty',
  direction: 'discount',
  amount_status: 'known',
  amount: { amount_minor: 50_000, currency: 'USD' },
  criteria: [{ criterion: 'loyalty', operator: 'present', value: true, evidence_status: 'required' }],
  stacking: { group: 'loyalty', combinability: 'stackable' },
  ...members,
});
const charge = (currency = 'USD'): object => ({
  name: 'Documentation fee',
  amount: { amount_minor: 36_700, currency },
  payee: 'dealer',
  included_in_advertised_price: false,
});
const settings = (members: object = {}): object => ({ ...DEFAULT_ROOFTOP_SETTINGS, ...members });

/** `pointer keyword` of each violation. */
function problems(document: unknown, currency = 'USD'): string[] {
  const checked = checkRooftopSettings(document, currency);
  return 'violations' in checked ? checked.violations.map((v) => `${v.pointer} ${v.keyword}`) : [];
}
const withRules = (...rules: object[]): object => settings({ conditional_adjustments: rules });

describe('checkRooftopSettings', () => {
  it('takes a sound document as it is', () => {
    const document = settings({
      required_charges: { status: 'listed', charges: [charge()] },
      conditional_adjustments: [
        rule('a', { stacking: { group: 'g', combinability: 'rule_defined', combinable_with: ['b'] } }),
        rule('b', { amount_status: 'unknown', amount: undefined }),
      ],
    });
    expect(checkRooftopSettings(document, 'USD')).toEqual({ settings: document });
  });

  it.each([
    ['a known amount that is not stated', rule('a', { amount: undefined }), '/amount required'],
    ['a stated amount that is not known', rule('a', { amount_status: 'unknown' }), '/amount not'],
    [
      'an amount in another currency',
      rule('a', { amount: { amount_minor: 1, currency: 'CAD' } }),
      '/amount/currency const',
    ],
    [
      'a period that ends before it begins',
      rule('a', { valid_from: '2026-12-01T00:00:00Z', valid_until: '2026-12-01T00:59:59+01:00' }),
      '/valid_until minimum',
    ],
    [
      'a period without length',
      rule('a', { valid_from: '2026-12-01T00:00:00Z', valid_until: '2026-12-01T01:00:00+01:00' }),
      '/valid_until minimum',
    ],
    [
      'a combination with an unknown rule',
      rule('a', { stacking: { group: 'g', combinability: 'stackable', combinable_with: ['b'] } }),
      '/stacking/combinable_with/0 enum',
    ],
    [
      'a combination with itself',
      rule('a', { stacking: { group: 'g', combinability: 'stackable', combinable_with: ['a'] } }),
      '/stacking/combinable_with/0 enum',
    ],
  ])('refuses %s', (_, entry, problem) => {
    expect(problems(withRules(entry))).toEqual([`/conditional_adjustments/0${problem}`]);
  });

  it('refuses an id that an earlier rule has', () => {
    expect(problems(withRules(rule('a'), rule('b'), rule('a')))).toEqual([
      '/conditional_adjustments/2/adjustment_id uniqueItems',
    ]);
  });

  it('refuses charges in another currency than the rooftop', () => {
    const document = settings({ required_charges: { status: 'listed', charges: [charge(), charge('CAD')] } });
    expect(problems(document)).toEqual(['/required_charges/charges/1/amount/currency const']);
    expect(problems(document, 'CAD')).toEqual(['/required_charges/charges/0/amount/currency const']);
  });

  it('names violations of the schema and of the rules at once', () => {
    const found = problems(
      settings({
        publish_inventory_age: 'yes',
        conditional_adjustments: [rule('a', { amount: undefined }), { name: 'nothing else' }],
      }),
    );
    expect(found).toContain('/publish_inventory_age type');
    expect(found).toContain('/conditional_adjustments/0/amount required');
    expect(found).toContain('/conditional_adjustments/1/adjustment_id required');
  });

  it('never throws and never repeats a value, whatever it is given', () => {
    const planted = 'PLANTED-VALUE';
    const anything = fc.oneof(
      fc.anything(),
      fc.record({
        required_charges: fc.oneof(fc.anything(), fc.record({ charges: fc.array(fc.anything()) })),
        conditional_adjustments: fc.array(fc.oneof(fc.anything(), fc.constant(rule(planted, { amount: planted })))),
      }),
    );
    fc.assert(
      fc.property(anything, (document) => {
        const checked = checkRooftopSettings(document, 'USD');
        expect(JSON.stringify('violations' in checked ? checked.violations : [])).not.toContain(planted);
      }),
    );
  });
});
