import { describe, expect, it } from 'vitest';
import type { RooftopSettings } from '../../tenancy/index.js';
import { publicationDigestOf } from './publication-policy.js';

const SETTINGS: RooftopSettings = {
  freshness_sla_seconds: { inventory: 900, availability: 120, pricing: 3600 },
  required_charges: {
    status: 'listed',
    charges: [
      {
        name: 'Documentation fee',
        amount: { amount_minor: 36_700, currency: 'USD' },
        payee: 'dealer',
        included_in_advertised_price: false,
      },
    ],
  },
  conditional_adjustments: [],
  publish_inventory_age: false,
};
const digestWith = (members: Partial<RooftopSettings>): string => publicationDigestOf({ ...SETTINGS, ...members });

describe('publicationDigestOf', () => {
  it('is the same for equal settings, whatever the order of their members', () => {
    const [charge] = SETTINGS.required_charges.status === 'listed' ? SETTINGS.required_charges.charges : [];
    const turned = Object.fromEntries(Object.entries(charge!).toReversed()) as typeof charge;
    const same = Object.fromEntries(Object.entries(SETTINGS).toReversed()) as unknown as RooftopSettings;
    expect(publicationDigestOf(same)).toBe(publicationDigestOf(SETTINGS));
    expect(digestWith({ required_charges: { status: 'listed', charges: [turned!] } })).toBe(digestWith({}));
  });

  it.each([
    [{ freshness_sla_seconds: { inventory: 901, availability: 120, pricing: 3600 } }],
    [{ required_charges: { status: 'none' as const } }],
    [{ required_charges: { status: 'unknown' as const } }],
    [{ publish_inventory_age: true }],
  ])('differs where a served vehicle would say something else: %j', (members) => {
    expect(digestWith(members)).not.toBe(digestWith({}));
  });

  it('stays where no served vehicle would change', () => {
    expect(digestWith({ freshness_sla_seconds: { inventory: 900, availability: 1, pricing: 1 } })).toBe(digestWith({}));
    expect(digestWith({ price_order: ['Price'] })).toBe(digestWith({}));
  });
});
