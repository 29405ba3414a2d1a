import { describe, expect, it } from 'vitest';
import { freshnessState } from './freshness.js';

const NOW = Date.parse('2026-11-30T06:00:00Z');

describe('freshnessState', () => {
  it('is current up to the validity limit and stale from then on', () => {
    const validUntil = NOW + 900_000;
    expect(freshnessState(validUntil, NOW + 900_000)).toBe('current');
    expect(freshnessState(validUntil, NOW + 900_001)).toBe('stale');
    expect(freshnessState(validUntil, NOW + 901_000)).toBe('stale');
  });
});
