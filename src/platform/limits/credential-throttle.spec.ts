import { beforeEach, describe, expect, it } from 'vitest';
import { CredentialThrottle } from './credential-throttle.js';
import { FailurePauses } from './failure-pauses.js';
import { LocalRateLimiter } from './local-rate-limiter.js';

const RULE = { name: 'credential', failures: 5, windowMs: 300_000, pauseMs: 60_000 };
const key = (id: string, secret = 'x'): string => `Bearer fck_${id}_${secret}`;
const clock = { now: 0 };
let throttle: CredentialThrottle;
beforeEach(() => {
  clock.now = 0;
  const now = (): number => clock.now;
  throttle = new CredentialThrottle(new FailurePauses(new LocalRateLimiter(now), RULE, now));
});
const fail = async (network: string, authorization: string, times = 1): Promise<void> => {
  for (let i = 0; i < times; i++) await throttle.failed(network, authorization);
};

describe('Bad credentials', () => {
  it('make their network wait after so many, for good ones that were never seen there as well', async () => {
    await fail('a', key('aaaa'), 4);
    expect(throttle.pausedMs('a', key('aaaa'))).toBe(0);
    await fail('a', 'Bearer eyJ.x.y');
    for (const authorization of [key('aaaa'), key('bbbb'), 'Bearer eyJ.x.y', 'Basic abc'])
      expect(throttle.pausedMs('a', authorization)).toBe(60_000);
    expect(throttle.pausedMs('b', key('cccc'))).toBe(0);
  });

  it('do not stop credentials that were good from there before; a failure of such a one ends that', async () => {
    throttle.proved('a', key('good'));
    await fail('a', key('aaaa'), 5);
    expect(throttle.pausedMs('a', key('good'))).toBe(0);
    expect(throttle.pausedMs('a', key('good', 'y'))).toBeGreaterThan(0);
    await fail('a', key('good'));
    expect(throttle.pausedMs('a', key('good'))).toBeGreaterThan(0);
  });

  it('are not forgiven for a success', async () => {
    await fail('a', key('aaaa'), 4);
    throttle.proved('a', key('good'));
    await fail('a', key('aaaa'));
    expect(throttle.pausedMs('a', key('aaaa'))).toBeGreaterThan(0);
  });

  it('for one key from many networks leave each of these one attempt, and the key’s owner elsewhere alone', async () => {
    for (let i = 0; i < 5; i++) await fail(`bot-${i}`, key('victim', String(i)));
    expect(throttle.pausedMs('bot-4', key('victim'))).toBeGreaterThan(0);
    await fail('bot-5', key('victim'));
    expect(throttle.pausedMs('bot-5', key('victim'))).toBeGreaterThan(0);
    expect(throttle.pausedMs('bot-5', key('other'))).toBe(0);
    expect(throttle.pausedMs('home', key('victim'))).toBe(0);
  });

  it('are heard once after each pause until the old ones are five minutes away', async () => {
    await fail('a', key('aaaa'), 5);
    for (let minute = 1; minute <= 4; minute++) {
      clock.now = minute * 60_000;
      expect(throttle.pausedMs('a', key('aaaa'))).toBe(0);
      await fail('a', key('aaaa'));
      expect(throttle.pausedMs('a', key('aaaa'))).toBe(60_000);
    }
    clock.now = 330_000;
    await fail('a', key('aaaa'));
    expect(throttle.pausedMs('a', key('aaaa'))).toBe(0);
  });
});
