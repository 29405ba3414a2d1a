import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace } from './pace.js';

const paceAt = (share: number, others: number | undefined): Pace => {
  const pace = new Pace(share);
  pace.note(others);
  return pace;
};

describe('the pace of a run', () => {
  it('is full while nobody else is there', () => {
    const pace = paceAt(0.25, 3);
    expect([pace.most, pace.restAfter(40)]).toEqual([Infinity, 0]);
  });

  it('is full beside a service that has nothing to do but its own 24 transactions a second', () => {
    expect(paceAt(0.25, 24).restAfter(40)).toBe(0);
    expect(paceAt(0.25, 50).restAfter(40)).toBe(120);
  });

  it('leaves the others their share of the time', () => {
    const pace = paceAt(0.25, 100);
    expect([pace.most, pace.restAfter(4)]).toEqual([200, 12]);
  });

  it('takes not knowing for busy', () => {
    expect(new Pace(0.5).restAfter(10)).toBe(10);
  });

  it('makes no room where the operator wants none', () => {
    const pace = paceAt(1, 10_000);
    expect([pace.most, pace.restAfter(40)]).toEqual([Infinity, 0]);
  });

  it('never rests for long, so that every run ends', () => {
    const any = [fc.double({ min: 0.01, max: 1, noNaN: true }), fc.nat(), fc.double({ min: 0, noNaN: true })] as const;
    fc.assert(
      fc.property(...any, (share, others, ms) => {
        const rest = paceAt(share, others).restAfter(ms);
        expect(rest >= 0 && rest <= 1000).toBe(true);
      }),
    );
  });
});
