import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AvailabilityBand, AvailabilityObservation } from './availability-band.js';
import { AVAILABILITY_BANDS, availabilityBand } from './availability-band.js';

const NOW = Date.parse('2026-11-30T06:00:00Z');

function bandAfterMs(ms: number, observation: Partial<AvailabilityObservation> = {}): AvailabilityBand {
  return availabilityBand(
    {
      observedAt: NOW - ms,
      status: 'available',
      authority: 'authoritative',
      state: 'current',
      checked: false,
      ...observation,
    },
    NOW,
  );
}
const bandAfter = (seconds: number, observation: Partial<AvailabilityObservation> = {}): AvailabilityBand =>
  bandAfterMs(seconds * 1000, observation);

const anyObservation = fc.record({
  status: fc.constantFrom('available', 'in_transit', 'on_hold', 'sold', 'unknown'),
  authority: fc.constantFrom('authoritative' as const, 'asserted' as const, 'unknown' as const),
  state: fc.constantFrom('current' as const, 'stale' as const, 'unknown' as const, 'withdrawn' as const),
  checked: fc.boolean(),
});
/** Ages in milliseconds around every edge, and anywhere else. */
const anyAge = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, 120_000, 900_000, 86_400_000), fc.integer({ min: -2, max: 2 }))
    .map(([edge, off]) => edge + off),
  fc.integer({ min: -300_000, max: 200_000_000 }),
);

describe('availabilityBand', () => {
  it.each([
    [120_000, { checked: true }, 'verified_current'],
    [120_001, { checked: true }, 'recent_authoritative'],
    [900_000, {}, 'recent_authoritative'],
    [900_001, {}, 'stale'],
    [86_400_000, { authority: 'asserted' }, 'asserted'],
    [86_400_001, { authority: 'asserted' }, 'stale'],
  ] as const)('after %i ms with %j is %s: edges are inclusive', (ms, observation, band) => {
    expect(bandAfterMs(ms, observation)).toBe(band);
  });

  it('is never verified current without a check, or for a unit that is not available', () => {
    expect(bandAfter(0)).toBe('recent_authoritative');
    expect(bandAfter(0, { checked: true, status: 'on_hold' })).toBe('recent_authoritative');
    expect(bandAfter(0, { checked: true, authority: 'asserted' })).toBe('asserted');
  });

  it('never upgrades a record that is stale, unknown or withdrawn', () => {
    expect(bandAfter(1, { state: 'stale', checked: true })).toBe('stale');
    expect(bandAfter(1, { state: 'unknown', checked: true })).toBe('unknown');
    expect(bandAfter(1, { state: 'withdrawn', checked: true })).toBe('unknown');
  });

  it('is unknown without a usable observation or authority', () => {
    expect(bandAfter(1, { observedAt: null })).toBe('unknown');
    expect(bandAfter(1, { observedAt: Number.NaN })).toBe('unknown');
    expect(bandAfter(1, { authority: 'unknown' })).toBe('unknown');
  });

  it('counts an observation slightly ahead of the clock as made now', () => {
    expect(bandAfter(-2, { checked: true })).toBe('verified_current');
  });

  it('keeps every band to its own conditions, whatever is observed', () => {
    fc.assert(
      fc.property(anyObservation, anyAge, (observation, ms) => {
        const band = bandAfterMs(ms, observation);
        const { authority, checked, state, status } = observation;
        if (band === 'verified_current')
          expect({ authority, checked, status, state, inTime: ms <= 120_000 }).toEqual({
            authority: 'authoritative',
            checked: true,
            status: 'available',
            state: 'current',
            inTime: true,
          });
        if (band === 'recent_authoritative')
          expect({ authority, state, inTime: ms <= 900_000 }).toEqual({
            authority: 'authoritative',
            state: 'current',
            inTime: true,
          });
        if (band === 'asserted')
          expect({ authority, state, inTime: ms <= 86_400_000 }).toEqual({
            authority: 'asserted',
            state: 'current',
            inTime: true,
          });
        if (state === 'stale') expect(['stale', 'unknown']).toContain(band);
      }),
    );
  });

  it('never gets stronger with age', () => {
    fc.assert(
      fc.property(anyObservation, anyAge, fc.nat(100_000_000), (observation, ms, later) => {
        const strength = (age: number): number => AVAILABILITY_BANDS.indexOf(bandAfterMs(age, observation));
        expect(strength(ms + later)).toBeGreaterThanOrEqual(strength(ms));
      }),
    );
  });
});
