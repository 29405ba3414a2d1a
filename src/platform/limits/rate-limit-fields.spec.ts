import { describe, expect, it } from 'vitest';
import type { RatePolicy } from '../../kernel/ports/rate-limiter.js';
import { rateLimitFields } from './rate-limit-fields.js';

const allowance = (policy: RatePolicy, waitMs = 0): never =>
  ({ bucket: { policy, key: 'k', limit: 10 }, remaining: 3, resetMs: 1500, waitMs }) as never;

describe('RateLimit fields', () => {
  it('name the caller’s allowances with what is left of each', () => {
    expect(rateLimitFields({ allowed: true, waitMs: 0, allowances: [allowance('subject'), allowance('key')] })).toEqual(
      {
        'ratelimit-policy': '"subject";q=10;w=60, "key";q=10;w=60',
        ratelimit: '"subject";r=3;t=2, "key";r=3;t=2',
      },
    );
  });

  it('say nothing of an allowance that others share, unless it refused', () => {
    const shown = (waitMs: number): string | undefined =>
      rateLimitFields({
        allowed: waitMs === 0,
        waitMs,
        allowances: [allowance('network'), allowance('rooftop', waitMs)],
      })['ratelimit'];
    expect(shown(0)).toBe('"network";r=3;t=2');
    expect(shown(9)).toBe('"network";r=3;t=2, "rooftop";r=3;t=2');
  });

  it('are left out where nothing was counted', () => {
    expect(rateLimitFields({ allowed: true, waitMs: 0, allowances: [] })).toEqual({});
  });
});
