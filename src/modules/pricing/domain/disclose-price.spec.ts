import { describe, expect, it } from 'vitest';
import {
  adjustmentRule,
  criterion,
  NOW,
  paysBy,
  priceFacts,
  usd,
} from '../../../../test/fixtures/pricing/price-facts.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { rfc3339 } from '../../../kernel/time.js';
import { disclosePrice } from './disclose-price.js';
import type { PricingDisclosure } from './disclosure-schema.js';
import type { DisclosureContext, PriceFacts } from './price-facts.js';

const disclose = (over: Partial<PriceFacts> = {}, context: DisclosureContext = {}, now = NOW): PricingDisclosure =>
  disclosePrice(priceFacts(over), context, now);
const shownRules = (rules: PriceFacts['rules'], context: DisclosureContext = {}, now = NOW): readonly string[] =>
  disclose({ rules, statedAdjustments: [] }, context, now).conditional_adjustments.map((a) => a.adjustment_id);

function failureOf(over: Partial<PriceFacts>, context: DisclosureContext = {}): string {
  try {
    disclose(over, context);
    return 'none';
  } catch (error) {
    return error instanceof Failure ? `${error.code} ${error.context.auditReason ?? ''}` : 'another error';
  }
}

describe('The advertised price of a disclosure', () => {
  it('is the published offer, and says whether required charges are in it', () => {
    expect(disclose().advertised_price).toEqual({
      amount: usd(3_199_500),
      availability: 'generally_available',
      includes_required_dealer_charges: false,
    });
  });
});

describe('A price that an event set', () => {
  const at = NOW - 1000;
  const observed_at = '2026-11-30T05:59:59.000Z';
  const source = { source_name: 'unit event', authority: 'dealer_asserted' as const, observed_at };
  const silent: Partial<PriceFacts> = {
    event: { source, at },
    charges: { by: 'nobody' },
    statedAdjustments: [],
    government: { by: 'feed' },
  };

  it('has the event as its source and the time of the event, where the row says nothing else of the price', () => {
    const { provenance, freshness } = disclose({ ...silent, observedAt: NOW - 7_200_000 });
    expect(provenance).toEqual({ sources: [source], authority_status: 'asserted' });
    expect(freshness).toMatchObject({ observed_at: rfc3339(at), state: 'current', max_age_seconds: 3600 });
    expect(disclose({ ...silent, rules: [adjustmentRule()] }).provenance.sources).toEqual([
      source,
      priceFacts().settings,
    ]);
  });

  it.each<[string, Partial<PriceFacts>]>([
    ['charges', { charges: { by: 'row', charges: [] } }],
    ['adjustments', { statedAdjustments: priceFacts().statedAdjustments }],
    ['government charges', { government: { by: 'feed', status: 'unknown' } }],
  ])('makes no older %s of the row fresher', (_, said) => {
    const observedAt = NOW - 7_200_000;
    const { provenance, freshness } = disclose({ ...silent, ...said, observedAt });
    expect(provenance.sources).toEqual([source, priceFacts().row]);
    expect(freshness).toMatchObject({ observed_at: rfc3339(observedAt), state: 'stale' });
  });

  it('is another disclosure than the same price by the row', () => {
    const byRow: Partial<PriceFacts> = { ...silent };
    delete (byRow as { event?: unknown }).event;
    expect(disclose(silent).disclosure_id).not.toBe(disclose(byRow).disclosure_id);
    expect(disclose(silent).disclosure_completeness.components.availability_band).toBe(
      disclose(byRow).disclosure_completeness.components.availability_band,
    );
  });
});

describe('The required dealer charges of a disclosure', () => {
  it('are listed one by one with a lower-case id of their own and their source', () => {
    const [charge] = disclose().required_dealer_charges;
    expect(charge).toEqual({
      charge_id: expect.stringMatching(/^charge\.[0-9a-f]{24}$/) as string,
      name: 'Documentation fee',
      amount: usd(89_900),
      payee: 'dealer',
      included_in_advertised_price: false,
      required: true,
      provenance: { sources: [priceFacts().row], authority_status: 'asserted' },
    });
  });

  it('keep their ids when an amount changes, and are told apart when they are named alike', () => {
    const fee = { name: 'Fee', payee: 'dealer' as const, includedInAdvertisedPrice: false };
    const idsOf = (...minors: number[]): readonly string[] =>
      disclose({
        charges: { by: 'row', charges: minors.map((minor) => ({ ...fee, amount: usd(minor) })) },
      }).required_dealer_charges.map((c) => c.charge_id);
    expect(idsOf(100)).toEqual(idsOf(200));
    expect(new Set(idsOf(100, 100, 100)).size).toBe(3);
    expect(idsOf(100, 100)[0]).toBe(idsOf(100)[0]);
  });

  it('of a rooftop name its settings as their source, beside the row', () => {
    const { required_dealer_charges: charges, provenance } = disclose({
      charges: {
        by: 'rooftop',
        charges: [{ name: 'Fee', amount: usd(1), payee: 'dealer', includedInAdvertisedPrice: true }],
      },
    });
    expect(charges[0]?.provenance?.sources[0]?.source_name).toBe('rooftop settings');
    expect(provenance.sources.map((s) => s.source_name)).toEqual(['nightly', 'rooftop settings']);
  });

  it('that nobody stated are not none: the list is empty, not itemized, and the disclosure uncertain', () => {
    const unknown = disclose({ charges: { by: 'nobody' } });
    const none = disclose({ charges: { by: 'row', charges: [] } });
    expect(unknown.required_dealer_charges).toEqual([]);
    expect(none.required_dealer_charges).toEqual([]);
    expect(unknown.disclosure_completeness.components.required_dealer_charges_itemized).toBe(false);
    expect(none.disclosure_completeness.components.required_dealer_charges_itemized).toBe(true);
    expect(unknown.uncertainty.status).toBe('unknown');
    expect(unknown.uncertainty.reason).toMatch(/not stated which charges/);
    expect(none.uncertainty.reason).not.toMatch(/which charges/);
  });

  it('without a readable name still count', () => {
    const charges = [{ name: '', amount: usd(5), payee: 'other' as const, includedInAdvertisedPrice: false }];
    expect(disclose({ charges: { by: 'row', charges } }).required_dealer_charges[0]?.name).toBe(
      'Charge without a name',
    );
  });
});

describe('The conditional adjustments of a disclosure', () => {
  it('turn free text into a criterion that decides nothing', () => {
    expect(disclose().conditional_adjustments).toEqual([
      {
        adjustment_id: expect.stringMatching(/^adjustment\.[0-9a-f]{24}$/) as string,
        name: 'Military appreciation',
        direction: 'discount',
        amount_status: 'known',
        amount: usd(50_000),
        criteria: [
          {
            criterion: 'other',
            operator: 'present',
            value: true,
            evidence_status: 'required',
            description: 'verified military service',
          },
        ],
        stacking: { group: 'rule_defined', combinability: 'rule_defined' },
        provenance: { sources: [priceFacts().row], authority_status: 'asserted' },
      },
    ]);
  });

  it('say so where a source does not say who qualifies or how much it is', () => {
    const disclosure = disclose({ statedAdjustments: [{ name: '', direction: 'surcharge' }] });
    const [adjustment] = disclosure.conditional_adjustments;
    expect(adjustment).not.toHaveProperty('amount');
    expect(adjustment).toMatchObject({
      name: 'Adjustment without a name',
      amount_status: 'unknown',
      stacking: { group: 'unspecified', combinability: 'rule_defined' },
    });
    expect(adjustment?.criteria[0]?.description).toBe('The source does not say who qualifies.');
    expect(disclosure.uncertainty.reason).toContain('amount of an adjustment is unknown');
    expect(disclosure.disclosure_completeness.components.conditional_adjustments_have_eligibility_and_stacking).toBe(
      false,
    );
  });

  it('of a rooftop are shown as they were decided', () => {
    const rule = adjustmentRule({ jurisdictions: [{ country: 'US' }], valid_from: '2026-01-01T00:00:00Z' });
    const [shown] = disclose({ rules: [rule], statedAdjustments: [] }).conditional_adjustments;
    expect(shown).toEqual({
      ...rule,
      provenance: { sources: [priceFacts().settings], authority_status: 'asserted' },
    });
  });

  it('never speak of a particular buyer: evidence is required or not', () => {
    const evidence = (['claimed', 'verified', 'required', 'not_required'] as const).map((evidence_status) =>
      criterion({ evidence_status }),
    );
    const [shown] = disclose({
      rules: [adjustmentRule({ criteria: evidence })],
      statedAdjustments: [],
    }).conditional_adjustments;
    expect(shown?.criteria.map((c) => c.evidence_status)).toEqual(['required', 'required', 'required', 'not_required']);
  });

  it('have an amount exactly when it is known', () => {
    const { amount, ...without } = adjustmentRule();
    const [a, b] = disclose({
      rules: [without, adjustmentRule({ amount_status: 'unknown', ...(amount && { amount }) })],
      statedAdjustments: [],
    }).conditional_adjustments;
    for (const shown of [a, b]) {
      expect(shown?.amount_status).toBe('unknown');
      expect(shown).not.toHaveProperty('amount');
    }
  });

  it.each([
    [{ valid_from: '2026-11-30T06:00:00Z' }, true],
    [{ valid_from: '2026-11-30T06:00:01Z' }, false],
    [{ valid_until: '2026-11-30T06:00:00Z' }, true],
    [{ valid_until: '2026-11-30T05:59:59Z' }, false],
    [{ valid_from: '2026-11-30T00:00:00-06:00', valid_until: '2026-11-30T07:00:00+01:00' }, true],
  ])('are in force in their time only, both ends included (%j)', (times, shown) => {
    expect(shownRules([adjustmentRule(times)])).toEqual(shown ? ['rule.one'] : []);
  });

  it('are left out where they cannot hold in the place or by the way of paying of the request', () => {
    const rules = [
      adjustmentRule({ adjustment_id: 'rule.florida', jurisdictions: [{ country: 'US', subdivision: 'US-FL' }] }),
      adjustmentRule({ adjustment_id: 'rule.financed', criteria: [paysBy('finance', 'equals')] }),
      adjustmentRule({ adjustment_id: 'rule.anywhere' }),
    ];
    expect(shownRules(rules)).toEqual(['rule.florida', 'rule.financed', 'rule.anywhere']);
    expect(shownRules(rules, { jurisdiction: { country: 'US', subdivision: 'US-IL' } })).toEqual([
      'rule.financed',
      'rule.anywhere',
    ]);
    expect(shownRules(rules, { paymentMode: 'cash' })).toEqual(['rule.florida', 'rule.anywhere']);
    expect(shownRules(rules, { paymentMode: 'unknown' })).toHaveLength(3);
  });

  it('are never applied: the advertised price stays what it is', () => {
    expect(disclose({ rules: [adjustmentRule()] }, { paymentMode: 'finance' }).advertised_price).toEqual(
      disclose().advertised_price,
    );
  });
});

describe('What cannot be disclosed', () => {
  const cad = { amount_minor: 1, currency: 'CAD' };

  it.each<[string, Partial<PriceFacts>]>([
    [
      'a charge',
      {
        charges: {
          by: 'row',
          charges: [{ name: 'Fee', amount: cad, payee: 'dealer', includedInAdvertisedPrice: true }],
        },
      },
    ],
    ['a stated adjustment', { statedAdjustments: [{ name: 'Rebate', direction: 'discount', amount: cad }] }],
    ['a rule', { rules: [adjustmentRule({ amount: cad })] }],
  ])('is a price of which %s is in another currency', (_, over) => {
    expect(failureOf(over)).toBe('pricing.incomplete currencies_disagree');
  });

  it('is not a price whose odd rule is out of the question', () => {
    expect(failureOf({ rules: [adjustmentRule({ amount: cad, valid_until: '2026-01-01T00:00:00Z' })] })).toBe('none');
  });

  it('is an adjustment that the request claims and nobody here can verify', () => {
    const rules = [adjustmentRule({ criteria: [paysBy('finance', 'verified')] })];
    expect(failureOf({ rules }, { paymentMode: 'finance' })).toBe(
      'pricing.eligibility_unverified payment_mode_unverified',
    );
    expect(failureOf({ rules }, { paymentMode: 'cash' })).toBe('none');
    expect(failureOf({ rules })).toBe('none');
    expect(shownRules(rules)).toEqual(['rule.one']);
  });
});

describe('How far a disclosure can be relied on', () => {
  it('is asserted by a feed, never authoritative', () => {
    const disclosure = disclose({ rules: [adjustmentRule()] });
    expect(JSON.stringify(disclosure)).not.toContain('"authoritative"');
    expect(disclosure.provenance.authority_status).toBe('asserted');
    expect(disclosure.disclosure_completeness).toEqual({
      score: 65,
      components: {
        advertised_price_present_and_authoritative: false,
        required_dealer_charges_itemized: true,
        conditional_adjustments_have_eligibility_and_stacking: true,
        government_charges_classified: true,
        availability_band: 'asserted',
      },
    });
  });

  it('is computed at read time: current to the end of the time for prices, stale after it', () => {
    const end = NOW - 60_000 + 3_600_000;
    for (const [now, state] of [
      [NOW, 'current'],
      [end, 'current'],
      [end + 1, 'stale'],
    ] as const)
      expect(disclose({}, {}, now).freshness).toEqual({
        observed_at: '2026-11-30T05:59:00Z',
        valid_until: '2026-11-30T06:59:00Z',
        state,
        max_age_seconds: 3600,
      });
  });

  it('does not call government charges classified when the source said nothing, or what it could not prove', () => {
    for (const status of [undefined, 'calculated', 'estimated', 'not_applicable'] as const)
      expect(
        disclose({ government: { by: 'feed', ...(status === undefined ? {} : { status }) } }).disclosure_completeness
          .components.government_charges_classified,
      ).toBe(false);
  });

  it('lets the band of availability go stale with the record', () => {
    const bandAt = (now: number): string => disclose({}, {}, now).disclosure_completeness.components.availability_band;
    expect(bandAt(NOW + 840_000)).toBe('asserted');
    expect(bandAt(NOW + 840_001)).toBe('stale');
  });

  it('is exact when everything is known', () => {
    const government = { by: 'feed' as const, status: 'not_applicable' as const, basis: 'Export sale.' };
    expect(disclose({ government }).uncertainty).toEqual({ status: 'exact' });
  });

  it('is estimated when government charges are', () => {
    const government = {
      by: 'feed' as const,
      status: 'estimated' as const,
      total: usd(210_000),
      assumptions: ['Registration in Cook County.'],
      source: priceFacts().settings,
    };
    expect(disclose({ government }).uncertainty).toEqual({
      status: 'estimated',
      reason: 'Government charges are estimated.',
      assumptions: ['Registration in Cook County.'],
    });
  });

  it('has an id that stays while nothing changes, and only then', () => {
    const id = disclose().disclosure_id;
    expect(id).toMatch(/^disclosure\.[0-9a-f]{24}$/);
    expect(disclose({}, {}, NOW + 1000).disclosure_id).toBe(id);
    expect(disclose({ advertised: usd(3_199_600) }).disclosure_id).not.toBe(id);
    expect(disclose({ observedAt: NOW }).disclosure_id).not.toBe(id);
  });
});
