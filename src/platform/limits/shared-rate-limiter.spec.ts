import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RateBucket, RateVerdict } from '../../kernel/ports/rate-limiter.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { SharedRateLimiter } from './shared-rate-limiter.js';

const THREE: readonly RateBucket[] = [{ policy: 'network', key: 'a', limit: 3 }];
const refused: RateVerdict = { allowed: false, waitMs: 500, allowances: [] };
const clock = { now: 0 };
let store: LocalRateLimiter; // what the other processes share
let up: boolean;
let asked: number;
const lines: string[] = [];
const log = { warn: (m: string) => lines.push(m), log: (m: string) => lines.push(m) };

const processes: SharedRateLimiter[] = [];
const processOn = (): SharedRateLimiter => {
  const shared = {
    take: (buckets: readonly RateBucket[]): Promise<RateVerdict> => {
      asked++;
      return up ? Promise.resolve(store.take(buckets)) : Promise.reject(new Error('Command timed out'));
    },
    connect: (): Promise<void> => (up ? Promise.resolve() : Promise.reject(new Error('no'))),
    ping: (): Promise<void> => (up ? Promise.resolve() : Promise.reject(new Error('no'))),
    close: () => Promise.resolve(),
  };
  const limiter = new SharedRateLimiter(shared, new LocalRateLimiter(() => clock.now), log, 1);
  processes.push(limiter);
  return limiter;
};
const takes = async (limiter: SharedRateLimiter, times: number): Promise<boolean[]> => {
  const results: boolean[] = [];
  for (let i = 0; i < times; i++) results.push((await limiter.take(THREE)).allowed);
  return results;
};

beforeEach(() => {
  clock.now = 0;
  [up, asked] = [true, 0];
  lines.length = 0;
  store = new LocalRateLimiter(() => clock.now);
});

afterEach(() => Promise.all(processes.splice(0).map((p) => p.close())));

describe('Allowances that processes share', () => {
  it('are one for all', async () => {
    const [one, two] = [processOn(), processOn()];
    expect(await takes(one, 2)).toEqual([true, true]);
    expect(await takes(two, 2)).toEqual([true, false]);
    expect(await takes(one, 1)).toEqual([false]);
  });

  it('cost no question to the store when this process alone has seen too much', async () => {
    const one = processOn();
    await takes(one, 3);
    expect(await takes(one, 50)).not.toContain(true);
    expect(asked).toBe(3);
  });

  it('do not count here what the others’ calls made the store refuse', async () => {
    const [one, two] = [processOn(), processOn()];
    await takes(two, 3);
    await takes(one, 10);
    clock.now = 65_000;
    expect(await takes(one, 4)).toEqual([true, true, true, false]);
  });

  it('become allowances of each process when the store is gone, which go on where they were', async () => {
    const one = processOn();
    await takes(one, 2);
    up = false;
    expect(await takes(one, 3)).toEqual([true, false, false]);
    expect(one.isShared).toBe(false);
  });

  it('are never unlimited, also for a caller who is new while the store is gone', async () => {
    up = false;
    expect(await takes(processOn(), 5)).toEqual([true, true, true, false, false]);
  });

  it('are still limited here when the store has been emptied', async () => {
    const one = processOn();
    await takes(one, 3);
    store = new LocalRateLimiter(() => clock.now);
    expect(await takes(one, 2)).toEqual([false, false]);
  });

  it('are shared again by themselves, with one line when they are lost and one when they are back', async () => {
    const one = processOn();
    up = false;
    await Promise.all([takes(one, 1), takes(one, 1), takes(one, 1)]);
    expect(asked).toBe(3);
    await takes(one, 5);
    expect(asked).toBe(3); // nobody else waits for it
    up = true;
    await expect.poll(() => one.isShared).toBe(true);
    expect(lines).toHaveLength(2);
    clock.now = 65_000;
    await takes(one, 1);
    expect(asked).toBe(4);
  });

  it('begin as allowances of this process where the store is not there yet', async () => {
    up = false;
    const one = await processOn().start();
    expect(await takes(one, 4)).toEqual([true, true, true, false]);
    expect(asked).toBe(0);
    up = true;
    await expect.poll(() => one.isShared).toBe(true);
  });

  it('say what the store says', async () => {
    store = { take: () => refused } as unknown as LocalRateLimiter;
    expect(await processOn().take(THREE)).toBe(refused);
  });
});
