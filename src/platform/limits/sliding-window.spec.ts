import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SLOTS, SlidingWindow } from './sliding-window.js';

const WINDOW = 60_000;
const SLOT = WINDOW / SLOTS;

/** Counts a call where one fits, as a limiter does. */
function take(window: SlidingWindow, now: number, limit: number): boolean {
  if (window.state(now, limit).waitMs > 0) return false;
  window.count(now);
  return true;
}

const arrivals = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 300 });
const limits = fc.integer({ min: 1, max: 12 });

describe('A sliding window', () => {
  it('never lets more calls into any window than fit, wherever the window begins', () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 0, max: 1e12 }), arrivals, (limit, start, gaps) => {
        const window = new SlidingWindow(WINDOW);
        let now = start;
        const admitted: number[] = [];
        for (const gap of gaps) {
          now += gap;
          if (take(window, now, limit)) admitted.push(now);
        }
        for (const [i, first] of admitted.entries()) {
          const sameWindow = admitted.slice(i).filter((at) => at < first + WINDOW).length;
          expect(sameWindow).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('gives a call back within one slot after its window, so that nobody waits longer than that', () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 0, max: 1e12 }), arrivals, (limit, start, gaps) => {
        const window = new SlidingWindow(WINDOW);
        let now = start;
        const admitted: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const recent = admitted.filter((at) => at > now - WINDOW - SLOT).length;
          const let_in = take(window, now, limit);
          if (recent < limit) expect(let_in).toBe(true);
          if (let_in) admitted.push(now);
        }
      }),
    );
  });

  it('says how long to wait truthfully: it is full a millisecond before, and has room then', () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 0, max: 1e12 }), arrivals, (limit, start, gaps) => {
        const window = new SlidingWindow(WINDOW);
        let now = start;
        for (const gap of gaps) {
          now += gap;
          const { waitMs } = window.state(now, limit);
          if (waitMs === 0) window.count(now);
          else {
            expect(waitMs).toBeLessThanOrEqual(WINDOW + SLOT);
            expect(window.state(now + waitMs - 1, limit).waitMs).toBe(1);
            expect(window.state(now + waitMs, limit).waitMs).toBe(0);
            now += waitMs;
          }
        }
      }),
    );
  });

  it('only falls while nobody calls, and is monotone in the limit', () => {
    fc.assert(
      fc.property(arrivals, fc.array(fc.nat(30_000), { maxLength: 20 }), limits, (gaps, pauses, limit) => {
        const window = new SlidingWindow(WINDOW);
        let now = 0;
        for (const gap of gaps) window.count((now += gap));
        let { used } = window.state(now, limit);
        for (const pause of pauses) {
          const state = window.state((now += pause), limit);
          expect(state.used).toBeLessThanOrEqual(used);
          expect(window.state(now, limit + 1).waitMs).toBeLessThanOrEqual(state.waitMs);
          ({ used } = state);
        }
      }),
    );
  });

  it('takes time that runs backwards as time that stands still', () => {
    const window = new SlidingWindow(WINDOW);
    window.count(10 * WINDOW);
    expect(window.state(9 * WINDOW, 1)).toMatchObject({ used: 1 });
    expect(take(window, 9 * WINDOW, 1)).toBe(false);
    expect(take(window, 11 * WINDOW + SLOT, 1)).toBe(true);
  });

  it('is renewed bit by bit, not all at once', () => {
    const window = new SlidingWindow(WINDOW);
    for (let i = 0; i < 4; i++) expect(take(window, i * 10_000, 4)).toBe(true);
    expect(window.state(30_000, 4)).toEqual({
      used: 4,
      resetMs: WINDOW + SLOT - 30_000,
      waitMs: WINDOW + SLOT - 30_000,
    });
    expect(take(window, WINDOW + SLOT, 4)).toBe(true);
    expect(take(window, WINDOW + SLOT, 4)).toBe(false);
  });
});
