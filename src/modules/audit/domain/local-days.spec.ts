import { describe, expect, it } from 'vitest';
import { dayAfter, daysBetween, endOfDay, localDay } from './local-days.js';

const at = (text: string): number => Date.parse(text);

describe('days of a zone', () => {
  it('end at its own midnight, also on the days that are 23 and 25 hours long', () => {
    const zone = 'America/Chicago';
    expect(endOfDay(zone, '2026-03-07')).toBe(at('2026-03-08T00:00:00-06:00'));
    expect(endOfDay(zone, '2026-03-08')).toBe(at('2026-03-09T00:00:00-05:00'));
    expect(endOfDay(zone, '2026-10-31')).toBe(at('2026-11-01T00:00:00-05:00'));
    expect(endOfDay(zone, '2026-11-01')).toBe(at('2026-11-02T00:00:00-06:00'));
    expect(endOfDay('UTC', '2028-02-28')).toBe(at('2028-02-29T00:00:00Z'));
  });

  it('begin when the day before ends', () => {
    for (const zone of ['UTC', 'America/Chicago', 'Pacific/Auckland', 'Asia/Kathmandu']) {
      for (const day of daysBetween('2028-02-25', '2028-03-30')) {
        expect(localDay(zone, endOfDay(zone, day) - 1), `${zone} ${day}`).toBe(day);
        expect(localDay(zone, endOfDay(zone, day)), `${zone} ${day}`).toBe(dayAfter(day));
      }
    }
  });

  it('are none where the end is before the beginning', () => {
    expect(daysBetween('2026-12-31', '2027-01-01')).toEqual(['2026-12-31', '2027-01-01']);
    expect(daysBetween('2027-01-01', '2026-12-31')).toEqual([]);
  });
});
