import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.js';

const RULES = { failures: 3, openMs: 1000 };
/** A breaker that failed as often as it takes, the last time at 0. */
function opened(): CircuitBreaker {
  const breaker = new CircuitBreaker(RULES);
  for (let i = 0; i < RULES.failures; i++) breaker.failed(0);
  return breaker;
}

describe('A circuit breaker', () => {
  it('lets calls through until enough failed in a row', () => {
    const breaker = new CircuitBreaker(RULES);
    for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) {
      expect(breaker.admit(0)).toBeUndefined();
      breaker[outcome](0);
    }
    expect(breaker.admit(0)).toBeUndefined();
    breaker.failed(0);
    expect(breaker.admit(0)).toBe(1000);
  });

  it('says how long it stays open, then lets one call try and no other beside it', () => {
    const breaker = opened();
    expect(breaker.admit(400)).toBe(600);
    expect(breaker.admit(1000)).toBeUndefined();
    expect(breaker.admit(1000)).toBe(1000);
  });

  it('closes when the try succeeds and opens anew when it fails', () => {
    const mended = opened();
    mended.admit(1000);
    mended.succeeded();
    expect([mended.admit(1001), mended.admit(1001)]).toEqual([undefined, undefined]);
    const broken = opened();
    broken.admit(1000);
    broken.failed(1100);
    expect(broken.admit(1200)).toBe(900);
  });

  it('never lets more than one call a pause through to a system that always fails', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 200 }), (steps) => {
        const breaker = opened();
        let now = 0;
        let admitted = 0;
        for (const step of steps) {
          now += step;
          if (breaker.admit(now) !== undefined) continue;
          admitted++;
          breaker.failed(now);
        }
        expect(admitted).toBeLessThanOrEqual(Math.floor(now / RULES.openMs));
      }),
    );
  });
});
