import { describe, expect, it } from 'vitest';
import type { RooftopSettings } from '../../tenancy/index.js';
import { readingSettings } from './reading-settings.js';

const own = { currency: 'USD', timeZone: 'UTC' };
const rooftop = (more: Partial<RooftopSettings>): RooftopSettings => ({
  freshness_sla_seconds: { inventory: 60, availability: 60, pricing: 60 },
  required_charges: { status: 'unknown' },
  conditional_adjustments: [],
  publish_inventory_age: false,
  ...more,
});

describe('readingSettings', () => {
  it('takes the price order and the words of the rooftop', () => {
    const decided = rooftop({ price_order: ['Internet Price', 'Price'], condition_map: { loaner: 'demo' } });
    expect(readingSettings(own, [decided])).toEqual({
      ...own,
      priceColumns: ['Internet Price', 'Price'],
      conditionMap: { loaner: 'demo' },
    });
  });

  it('lets the feed have the last word', () => {
    const decided = rooftop({ price_order: ['Price'], condition_map: { loaner: 'demo', n: 'new' } });
    const feed = { ...own, priceColumns: ['Sale'], conditionMap: { loaner: 'used' as const } };
    expect(readingSettings(feed, [decided])).toEqual({ ...feed, conditionMap: { loaner: 'used', n: 'new' } });
  });

  it('leaves out what the rooftops of one file do not agree on', () => {
    const [a, b] = [rooftop({ price_order: ['A'], condition_map: { x: 'new' } }), rooftop({ price_order: ['A'] })];
    expect(readingSettings(own, [a, b])).toEqual({ ...own, priceColumns: ['A'] });
    expect(readingSettings(own, [rooftop({}), rooftop({})])).toEqual(own);
  });

  it('does what a policy asks for at one of its rooftops, whatever the feed says', () => {
    const [strict, plain] = [{ ...rooftop({}), vin_checksum: 'quarantine' as const }, rooftop({})];
    const feed = { ...own, vinChecksum: 'flag' as const };
    expect(readingSettings(feed, [plain, strict])).toEqual({ ...feed, vinChecksum: 'quarantine' });
    expect(readingSettings(feed, [plain])).toEqual(feed);
    const dear = { ...rooftop({}), price_conflict: 'quarantine' as const };
    expect(readingSettings(own, [dear, plain])).toEqual({ ...own, priceConflict: 'quarantine' });
  });
});
