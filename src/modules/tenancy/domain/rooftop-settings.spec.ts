import { describe, expect, it } from 'vitest';
import { readRooftopSettings } from './rooftop-settings.js';

const charge = {
  name: 'Documentation fee',
  amount: { amount_minor: 36_700, currency: 'USD' },
  payee: 'dealer',
  included_in_advertised_price: false,
};

describe('Stored rooftop settings', () => {
  it.each([null, undefined, {}])('are filled in where a row says nothing: %j', (stored) => {
    expect(readRooftopSettings(stored)).toEqual({
      freshness_sla_seconds: { inventory: 86_400, availability: 86_400, pricing: 86_400 },
      required_charges: { status: 'unknown' },
      conditional_adjustments: [],
      publish_inventory_age: false,
    });
  });

  it('keep listed charges as they were written', () => {
    const stored = {
      freshness_sla_seconds: { inventory: 900, availability: 120, pricing: 3600 },
      required_charges: { status: 'listed', charges: [charge] },
      conditional_adjustments: [],
      publish_inventory_age: true,
    };
    expect(readRooftopSettings(stored)).toEqual(stored);
  });

  it.each([
    { what: 'no charges in a list of charges', stored: { required_charges: { status: 'listed', charges: [] } } },
    {
      what: 'charges of somebody unknown',
      stored: { required_charges: { status: 'listed', charges: [{ ...charge, payee: 'bank' }] } },
    },
    { what: 'charges beside "none"', stored: { required_charges: { status: 'none', charges: [charge] } } },
    { what: 'a target of no time', stored: { freshness_sla_seconds: { inventory: 0, availability: 1, pricing: 1 } } },
    { what: 'half of the targets', stored: { freshness_sla_seconds: { inventory: 60 } } },
    { what: 'something unknown', stored: { colour: 'blue' } },
    { what: 'a text', stored: 'text' },
  ])('are refused with $what', ({ stored }) => {
    expect(() => readRooftopSettings(stored)).toThrow('do not match their schema');
  });
});
