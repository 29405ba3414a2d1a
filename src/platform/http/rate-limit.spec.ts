import { describe, expect, it } from 'vitest';
import { WindowThrottlerStorage } from './rate-limit.js';

const MINUTE = 60_000;

describe('The window of a caller', () => {
  it('lets as many hits through as it may and tells the rest how long to wait', () => {
    let now = 1000;
    const storage = new WindowThrottlerStorage(() => now);
    for (let i = 1; i <= 3; i++)
      expect(storage.hit('a', MINUTE, 3)).toMatchObject({ totalHits: i, isBlocked: false, timeToBlockExpire: 0 });
    now += 45_500;
    expect(storage.hit('a', MINUTE, 3)).toEqual({
      totalHits: 4,
      timeToExpire: 15,
      isBlocked: true,
      timeToBlockExpire: 15,
    });
  });

  it('is renewed in the very moment it ends', () => {
    let now = 0;
    const storage = new WindowThrottlerStorage(() => now);
    storage.hit('a', MINUTE, 1);
    now = MINUTE - 1;
    expect(storage.hit('a', MINUTE, 1).isBlocked).toBe(true);
    now = MINUTE;
    expect(storage.hit('a', MINUTE, 1)).toMatchObject({ totalHits: 1, isBlocked: false, timeToExpire: 60 });
  });

  it('is of its caller alone', () => {
    const storage = new WindowThrottlerStorage(() => 0);
    storage.hit('a', MINUTE, 1);
    expect(storage.hit('a', MINUTE, 1).isBlocked).toBe(true);
    expect(storage.hit('b', MINUTE, 1).isBlocked).toBe(false);
  });

  it('is shared by newcomers once there are too many callers, who keep their own', () => {
    const storage = new WindowThrottlerStorage(() => 0, 2);
    storage.hit('a', MINUTE, 2);
    storage.hit('b', MINUTE, 2);
    expect(['c', 'd', 'e'].map((key) => storage.hit(key, MINUTE, 2).isBlocked)).toEqual([false, false, true]);
    expect(storage.hit('a', MINUTE, 2).isBlocked).toBe(false);
  });

  it('makes room again when windows have ended', () => {
    let now = 0;
    const storage = new WindowThrottlerStorage(() => now, 1);
    storage.hit('a', MINUTE, 1);
    now = 2 * MINUTE;
    expect(storage.hit('b', MINUTE, 1)).toMatchObject({ totalHits: 1 });
    expect(storage.hit('b', MINUTE, 1).isBlocked).toBe(true);
  });

  it('is what the throttler asks for', async () => {
    expect(await new WindowThrottlerStorage(() => 0).increment('a', MINUTE, 1)).toMatchObject({
      totalHits: 1,
      isBlocked: false,
    });
  });
});
