import { beforeEach, describe, expect, it } from 'vitest';
import type { RateBucket, RatePolicy } from '../../kernel/ports/rate-limiter.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { LimiterThrottlerStorage } from './throttler-storage.js';

const bucket = (key: string, limit: number, policy: RatePolicy = 'network'): RateBucket => ({ policy, key, limit });
const clock = { now: 0 };
let limiter: LocalRateLimiter;
beforeEach(() => {
  clock.now = 0;
  limiter = new LocalRateLimiter(() => clock.now);
});
const allowed = (...buckets: RateBucket[]): boolean => limiter.take(buckets).allowed;

describe('Allowances of one process', () => {
  it('let through what fits and tell what is left and how long to wait', () => {
    expect(limiter.take([bucket('a', 2)])).toMatchObject({
      allowed: true,
      allowances: [{ remaining: 1, resetMs: 65_000 }],
    });
    clock.now = 1000;
    expect(limiter.take([bucket('a', 2)])).toMatchObject({
      allowed: true,
      allowances: [{ remaining: 0, resetMs: 64_000 }],
    });
    expect(limiter.take([bucket('a', 2)])).toMatchObject({
      allowed: false,
      waitMs: 64_000,
      allowances: [{ remaining: 0, resetMs: 64_000, waitMs: 64_000 }],
    });
  });

  it('count a call in each of its allowances, or in none when one is used up', () => {
    expect(allowed(bucket('a', 1), bucket('roof', 9, 'rooftop'))).toBe(true);
    for (let i = 0; i < 20; i++) expect(allowed(bucket('a', 1), bucket('roof', 9, 'rooftop'))).toBe(false);
    for (let i = 0; i < 8; i++) expect(allowed(bucket('roof', 9, 'rooftop'))).toBe(true);
    expect(allowed(bucket('roof', 9, 'rooftop'))).toBe(false);
  });

  it('make a caller wait for the slowest of those that refuse', () => {
    limiter.take([bucket('a', 1)]);
    clock.now = 30_000;
    limiter.take([bucket('b', 1)]);
    expect(limiter.take([bucket('a', 1), bucket('b', 1)])).toMatchObject({
      waitMs: 65_000,
      allowances: [{ waitMs: 35_000 }, { waitMs: 65_000 }],
    });
  });

  it('are of their owner and policy alone, and of their own window', () => {
    expect(allowed(bucket('a', 1))).toBe(true);
    expect(allowed(bucket('b', 1))).toBe(true);
    expect(allowed(bucket('a', 1, 'subject'))).toBe(true);
    expect(allowed({ ...bucket('c', 1), windowMs: 1200 })).toBe(true);
    clock.now = 1300;
    expect(allowed({ ...bucket('c', 1), windowMs: 1200 })).toBe(true);
    expect(allowed(bucket('a', 1))).toBe(false);
  });

  it('are shared by newcomers once there are too many, who take nothing from those with their own', () => {
    limiter = new LocalRateLimiter(() => 0, 2);
    expect([allowed(bucket('a', 2)), allowed(bucket('b', 2))]).toEqual([true, true]);
    expect(['c', 'd', 'e'].map((key) => allowed(bucket(key, 2)))).toEqual([true, true, false]);
    expect(allowed(bucket('a', 2))).toBe(true);
    expect(allowed(bucket('x', 2, 'subject'))).toBe(true);
  });

  it('make room again when they are given back', () => {
    limiter = new LocalRateLimiter(() => clock.now, 1);
    limiter.take([bucket('a', 1)]);
    clock.now = 120_000;
    expect(allowed(bucket('b', 1))).toBe(true);
    expect(allowed(bucket('b', 1))).toBe(false);
    expect(allowed(bucket('c', 1))).toBe(true);
  });

  it('are what the throttler asks for', async () => {
    const storage = new LimiterThrottlerStorage(limiter);
    expect(await storage.increment('a', 60_000, 1)).toEqual({
      totalHits: 1,
      timeToExpire: 65,
      isBlocked: false,
      timeToBlockExpire: 0,
    });
    expect(await storage.increment('a', 60_000, 1)).toMatchObject({ isBlocked: true, timeToBlockExpire: 65 });
  });
});
