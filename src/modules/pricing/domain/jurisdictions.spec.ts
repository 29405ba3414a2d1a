import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Jurisdiction } from '../../../kernel/schema/dap-pricing.js';
import { mayHoldIn } from './jurisdictions.js';

const CHICAGO: Jurisdiction = { country: 'US', subdivision: 'US-IL', locality: 'Chicago', postal_code: '60601' };
const anyPlace: fc.Arbitrary<Jurisdiction> = fc.record(
  {
    country: fc.constantFrom('US', 'CA'),
    subdivision: fc.constantFrom('US-IL', 'US-FL', 'CA-ON'),
    locality: fc.constantFrom('Chicago', 'CHICAGO', 'Miami', 'Saint-Denis', 'saint denis'),
    postal_code: fc.constantFrom('60601', '60601-1234', '33101', 'M5V 2T6', 'm5v2t6'),
  },
  { requiredKeys: ['country'] },
);

describe('mayHoldIn', () => {
  it.each<[string, Jurisdiction, Jurisdiction, boolean]>([
    ['another country', { country: 'US' }, { country: 'CA' }, false],
    ['another state', { country: 'US', subdivision: 'US-FL' }, CHICAGO, false],
    ['the state', { country: 'US', subdivision: 'US-IL' }, CHICAGO, true],
    [
      'the country alone, when the rule is for a state',
      { country: 'US', subdivision: 'US-FL' },
      { country: 'US' },
      true,
    ],
    ['another town of the state', CHICAGO, { country: 'US', subdivision: 'US-IL', locality: 'Springfield' }, false],
    ['the town in other letters', { country: 'US', locality: 'CHICAGO ' }, CHICAGO, true],
    ['a longer postal code of the area', CHICAGO, { country: 'US', postal_code: '60601-1234' }, true],
    ['another postal code', CHICAGO, { country: 'US', postal_code: '60602' }, false],
  ])('knows %s', (_, rule, place, expected) => {
    expect(mayHoldIn([rule], place)).toBe(expected);
  });

  it('holds everywhere without places, and in one place of several', () => {
    expect(mayHoldIn(undefined, CHICAGO)).toBe(true);
    expect(mayHoldIn([], CHICAGO)).toBe(true);
    expect(mayHoldIn([{ country: 'CA' }, { country: 'US' }], CHICAGO)).toBe(true);
    expect(mayHoldIn([{ country: 'CA' }, { country: 'MX' }], CHICAGO)).toBe(false);
  });

  it('leaves nothing out of a request that names no place', () => {
    fc.assert(fc.property(fc.array(anyPlace), (places) => mayHoldIn(places, undefined)));
  });

  it('does not care which of two places is the rule, and every place may hold in itself', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (a, b) => {
        expect(mayHoldIn([a], b)).toBe(mayHoldIn([b], a));
        expect(mayHoldIn([a], a)).toBe(true);
      }),
    );
  });

  it('never leaves out more when the request says less', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (rule, place) => {
        if (mayHoldIn([rule], place)) expect(mayHoldIn([rule], { country: place.country })).toBe(true);
      }),
    );
  });
});
