import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedUnit } from '../listed-unit.js';
import { publishedAgeDays } from './inventory-tenure.js';

const OBSERVED_AT = Date.parse('2026-09-01T14:00:00Z');
const HOUR_MS = 3_600_000;
const used = (stockedAt?: string): ListedUnit => ({
  ...({ condition: 'used' } as ListedUnit),
  ...(stockedAt === undefined ? {} : { stockedAt }),
});

describe('publishedAgeDays', () => {
  it('counts complete 24-hour periods since the unit was stocked', () => {
    expect(publishedAgeDays(used('2026-07-16T10:00:00Z'), OBSERVED_AT)).toBe(47);
    expect(publishedAgeDays(used('2026-08-31T14:00:00Z'), OBSERVED_AT)).toBe(1);
    expect(publishedAgeDays(used('2026-08-31T14:00:01Z'), OBSERVED_AT)).toBe(0);
    expect(publishedAgeDays(used('2026-09-01T14:00:00Z'), OBSERVED_AT)).toBe(0);
  });

  it('reads offsets, so that a clock change adds no day', () => {
    expect(publishedAgeDays(used('2026-08-31T09:00:00-05:00'), OBSERVED_AT)).toBe(1);
  });

  it('makes up no age: not for a future date, one without offset, none, or a new unit', () => {
    expect(publishedAgeDays(used('2026-09-01T14:00:01Z'), OBSERVED_AT)).toBeUndefined();
    expect(publishedAgeDays(used('2026-07-16T10:00:00'), OBSERVED_AT)).toBeUndefined();
    expect(publishedAgeDays(used('2026-07-16'), OBSERVED_AT)).toBeUndefined();
    expect(publishedAgeDays(used(), OBSERVED_AT)).toBeUndefined();
    expect(publishedAgeDays({ ...used('2026-07-16T10:00:00Z'), condition: 'new' }, OBSERVED_AT)).toBeUndefined();
  });

  it('is never more than the hours that have passed, and never a day behind them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 59 }), (hours, minutes) => {
        const stockedAt = new Date(OBSERVED_AT - hours * HOUR_MS - minutes * 60_000).toISOString();
        expect(publishedAgeDays(used(stockedAt), OBSERVED_AT)).toBe(Math.floor((hours + minutes / 60) / 24));
      }),
    );
  });
});
