import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RateBucket } from '../../src/kernel/ports/rate-limiter.js';
import { LocalRateLimiter } from '../../src/platform/limits/local-rate-limiter.js';
import { RedisCounts } from '../../src/platform/limits/shared-counts.js';
import { SharedRateLimiter } from '../../src/platform/limits/shared-rate-limiter.js';
import { SLOTS } from '../../src/platform/limits/sliding-window.js';
import { callTool } from '../support/mcp-http.js';
import { DatabaseGate } from '../support/database-gate.js';
import { HAS_REDIS, startRedis, type TestRedis } from '../support/feed-redis.js';
import { startTestService, type TestService } from '../support/service.js';
import { withRoom } from '../support/with-room.js';

if (!HAS_REDIS) process.stderr.write('redis-server is not on the PATH: shared limits were not tested\n');

const lines: string[] = [];
const log = { warn: (m: string) => lines.push(m), log: (m: string) => lines.push(m) };
let keys = 0;
const bucket = (limit: number, key = `k${keys++}`, windowMs = 60_000): RateBucket => ({
  policy: 'network',
  key,
  limit,
  windowMs,
});

describe.skipIf(!HAS_REDIS)('Limits over a real Redis', () => {
  let redis: TestRedis;
  let admin: Redis;
  const open: SharedRateLimiter[] = [];
  const processOn = async (url: string): Promise<SharedRateLimiter> => {
    const limiter = new SharedRateLimiter(new RedisCounts(url, 'k'), new LocalRateLimiter(), log, 50);
    open.push(await limiter.start());
    expect(limiter.isShared).toBe(true);
    return limiter;
  };
  const takes = async (limiter: SharedRateLimiter, one: RateBucket, times: number): Promise<number> => {
    let allowed = 0;
    for (let i = 0; i < times; i++) if ((await limiter.take([one])).allowed) allowed++;
    return allowed;
  };
  const slowest = async (calls: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    await calls();
    return performance.now() - begun;
  };

  beforeAll(async () => {
    redis = await startRedis();
    admin = new Redis(redis.url, { retryStrategy: () => 100, maxRetriesPerRequest: null });
    admin.on('error', () => undefined);
  });
  beforeEach(() => {
    lines.length = 0;
  });
  afterEach(() => Promise.all(open.splice(0).map((limiter) => limiter.close())));
  afterAll(() => {
    admin.disconnect();
    redis.thaw();
    redis.stop();
  });

  it('are one allowance of two processes, also when both ask at once', async () => {
    const [one, two] = [await processOn(redis.url), await processOn(redis.url)];
    const shared = bucket(100);
    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, i) => Promise.resolve((i % 2 === 0 ? one : two).take([shared]))),
    );
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(100);
    const last = verdicts.findLast(({ allowed }) => !allowed);
    expect(last?.waitMs).toBeGreaterThan(0);
    expect(last?.waitMs).toBeLessThanOrEqual(60_000 + 60_000 / SLOTS);
    expect(last?.allowances[0]).toMatchObject({ remaining: 0 });
  });

  it('count a call in all of its windows or in none, and say what is left of each', async () => {
    const [limiter, other] = [await processOn(redis.url), await processOn(redis.url)];
    const [narrow, wide] = [bucket(1), bucket(10)];
    expect(await limiter.take([narrow, wide])).toMatchObject({
      allowed: true,
      waitMs: 0,
      allowances: [{ remaining: 0 }, { remaining: 9 }],
    });
    for (let i = 0; i < 5; i++) expect((await other.take([narrow, wide])).allowed).toBe(false);
    expect(await other.take([wide])).toMatchObject({ allowed: true, allowances: [{ remaining: 8 }] });
  });

  it('give calls back as time goes by, and leave nothing behind', async () => {
    const limiter = await processOn(redis.url);
    const short = bucket(3, undefined, 600);
    const admitted: number[] = [];
    const end = performance.now() + 2500;
    while (performance.now() < end) {
      if ((await limiter.take([short])).allowed) admitted.push(performance.now());
      await new Promise((done) => setTimeout(done, 10));
    }
    expect(admitted.length).toBeGreaterThan(6);
    // By the clock here, which reads a call a little later than Redis counts it.
    for (const [i, first] of admitted.entries())
      expect(admitted.slice(i).filter((at) => at < first + 500).length).toBeLessThanOrEqual(3);
    for (const key of await admin.keys('forecourt:limit:*')) expect(await admin.pttl(key)).toBeGreaterThan(0);
  });

  it('tell Redis no address or subject', async () => {
    await takes(await processOn(redis.url), bucket(1, '203.0.113.77'), 1);
    expect((await admin.keys('*')).filter((name) => name.includes('203.0.113'))).toEqual([]);
    expect((await admin.keys('forecourt:limit:network:*')).length).toBeGreaterThan(0);
  });

  it('go on in each process when Redis is killed, at once and with one line, and are shared again when it is back', async () => {
    const limiter = await processOn(redis.url);
    const one = bucket(5);
    expect(await takes(limiter, one, 2)).toBe(2);
    redis.stop();
    expect(await slowest(async () => expect(await takes(limiter, one, 50)).toBe(3))).toBeLessThan(withRoom(1000));
    expect(limiter.isShared).toBe(false);
    redis = await startRedis(redis.port);
    await expect.poll(() => limiter.isShared, { timeout: 10_000 }).toBe(true);
    expect(lines).toHaveLength(2);
    expect(await takes(limiter, one, 5)).toBe(0); // a new Redis knows nothing, but this process does
  });

  it('make one call wait a moment and no other when Redis hangs', async () => {
    const limiter = await processOn(redis.url);
    const one = bucket(5);
    redis.freeze();
    try {
      expect(await slowest(() => takes(limiter, one, 1))).toBeLessThan(withRoom(800));
      expect(await slowest(async () => expect(await takes(limiter, one, 100)).toBe(4))).toBeLessThan(withRoom(500));
    } finally {
      redis.thaw();
    }
    await expect.poll(() => limiter.isShared, { timeout: 10_000 }).toBe(true);
    expect(lines).toHaveLength(2);
  });

  it('find their way back through a network that swallowed everything', async () => {
    const gate = new DatabaseGate();
    await gate.open(redis.port);
    const limiter = await processOn(gate.urlOf(redis.url));
    gate.hang();
    expect(await slowest(() => takes(limiter, bucket(1), 20))).toBeLessThan(withRoom(1000));
    expect(limiter.isShared).toBe(false);
    await gate.refuse();
    await gate.open(redis.port);
    await expect.poll(() => limiter.isShared, { timeout: 10_000 }).toBe(true);
    await limiter.close();
    await gate.refuse();
  });

  it('are not forgotten by the processes when Redis is emptied', async () => {
    const limiter = await processOn(redis.url);
    const one = bucket(5);
    expect(await takes(limiter, one, 5)).toBe(5);
    await admin.flushall();
    expect(await takes(limiter, one, 5)).toBe(0);
    expect(limiter.isShared).toBe(true);
  });
});

describe.skipIf(!HAS_REDIS)('Two services with one Redis', () => {
  let redis: TestRedis;
  const services: TestService[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    const env = { REDIS_URL: redis.url, ANONYMOUS_CALLS_PER_MINUTE: '6' };
    for (let i = 0; i < 2; i++) services.push(await startTestService({ demo: false, env }));
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    redis.stop();
  });

  const call = async (service: TestService | undefined): Promise<{ limited: boolean; ms: number }> => {
    const begun = performance.now();
    const { json } = await callTool(`${service?.origin ?? ''}/mcp`, 'dealeragent.dealer.get', {});
    return { limited: json.result.isError === true, ms: performance.now() - begun };
  };

  it('let a caller through as often as one would', async () => {
    const limited: boolean[] = [];
    for (let i = 0; i < 10; i++) limited.push((await call(services[i % 2])).limited);
    expect(limited).toEqual([...Array<boolean>(6).fill(false), ...Array<boolean>(4).fill(true)]);
  });

  it('answer in less than a second with Redis hanging, still limiting', async () => {
    redis.freeze();
    const calls: { limited: boolean; ms: number }[] = [];
    for (let i = 0; i < 10; i++) calls.push(await call(services[1]));
    redis.thaw();
    expect(Math.max(...calls.map(({ ms }) => ms))).toBeLessThan(withRoom(1000));
    // Three of its six went before; what the other process let in is not known here.
    expect(calls.filter(({ limited }) => !limited)).toHaveLength(3);
  });
});
