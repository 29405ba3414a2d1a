import { describe, expect, it } from 'vitest';
import type { AvailabilityObservation } from './freshness.js';
import { availabilityBand, freshnessState } from './freshness.js';

const NOW = Date.parse('2026-11-30T06:00:00Z');

function bandAfter(seconds: number, observation: Partial<AvailabilityObservation> = {}): string {
  return availabilityBand(
    {
      observedAt: NOW - seconds * 1000,
      status: 'available',
      authority: 'authoritative',
      state: 'current',
      checked: false,
      ...observation,
    },
    NOW,
  );
}

describe('freshnessState', () => {
  it('is current up to the validity limit and stale from then on', () => {
    const validUntil = NOW + 900_000;
    expect(freshnessState(validUntil, NOW + 900_000)).toBe('current');
    expect(freshnessState(validUntil, NOW + 900_001)).toBe('stale');
    expect(freshnessState(validUntil, NOW + 901_000)).toBe('stale');
  });
});

describe('availabilityBand', () => {
  it('is verified current for 120 seconds after an authoritative check, then recent', () => {
    expect(bandAfter(120, { checked: true })).toBe('verified_current');
    expect(bandAfter(121, { checked: true })).toBe('recent_authoritative');
  });

  it('is never verified current without a check, or for a unit that is not available', () => {
    expect(bandAfter(0)).toBe('recent_authoritative');
    expect(bandAfter(0, { checked: true, status: 'on_hold' })).toBe('recent_authoritative');
    expect(bandAfter(0, { checked: true, authority: 'asserted' })).toBe('asserted');
  });

  it('is recent for 15 minutes after an authoritative observation, then stale', () => {
    expect(bandAfter(900)).toBe('recent_authoritative');
    expect(bandAfter(901)).toBe('stale');
  });

  it('is asserted for 24 hours after a dealer statement, then stale', () => {
    expect(bandAfter(86_400, { authority: 'asserted' })).toBe('asserted');
    expect(bandAfter(86_401, { authority: 'asserted' })).toBe('stale');
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
});
