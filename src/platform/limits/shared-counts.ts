import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { RateBucket, RateVerdict } from '../../kernel/ports/rate-limiter.js';
import { RATE_WINDOW_MS } from '../../kernel/ports/rate-limiter.js';
import { TAKE_SCRIPT } from './take-script.js';

/** Port: counts that all processes share. */
export interface SharedCounts {
  /** Once, before the first `take`. @throws Error when the store cannot be reached now; it goes on trying. */
  connect(): Promise<void>;
  /** @throws Error when the store does not answer in time. */
  take(buckets: readonly RateBucket[]): Promise<RateVerdict>;
  /** @throws Error while the store does not answer; a connection that hangs is given up. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** How long a call waits for Redis. Answers stay under a second with room to spare. */
const COMMAND_TIMEOUT_MS = 150;
const CONNECT_TIMEOUT_MS = 1000;
const RECONNECT_MAX_MS = 1000;
const PREFIX = 'forecourt:limit';

type Take = (keys: number, ...rest: (string | number)[]) => Promise<number[]>;

/** Counts in Redis: one script and one round trip a call, whatever number of allowances it falls under. */
export class RedisCounts implements SharedCounts {
  private readonly redis: Redis;
  private readonly script: Take;

  /** @param nameKey makes what Redis sees of addresses and subjects unreadable; the same in every process */
  constructor(
    url: string,
    private readonly nameKey: string,
  ) {
    this.redis = new Redis(url, {
      commandTimeout: COMMAND_TIMEOUT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableOfflineQueue: false, // a call that finds no connection counts locally at once
      autoResendUnfulfilledCommands: false,
      enableReadyCheck: false,
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_MAX_MS),
    });
    this.redis.on('error', () => undefined); // told by the calls that meet it
    this.redis.defineCommand('takeAllowances', { lua: TAKE_SCRIPT });
    const { takeAllowances } = this.redis as unknown as { takeAllowances: Take };
    this.script = takeAllowances.bind(this.redis);
  }

  async connect(): Promise<void> {
    await this.redis.connect();
  }

  async take(buckets: readonly RateBucket[]): Promise<RateVerdict> {
    const keys = buckets.map((bucket) => this.nameOf(bucket));
    const args = buckets.flatMap(({ limit, windowMs = RATE_WINDOW_MS }) => [limit, windowMs]);
    return verdictOf(buckets, await this.script(keys.length, ...keys, ...args));
  }

  async ping(): Promise<void> {
    try {
      await this.redis.ping();
    } catch (error) {
      // The other end may never say that it is gone: a fresh connection finds the next one that listens.
      if (this.redis.status === 'ready') this.redis.disconnect(true);
      throw error;
    }
  }

  close(): Promise<void> {
    this.redis.disconnect();
    return Promise.resolve();
  }

  private nameOf({ policy, key }: RateBucket): string {
    return `${PREFIX}:${policy}:${hash('sha256', `${this.nameKey}${key}`, 'base64url')}`;
  }
}

function verdictOf(buckets: readonly RateBucket[], answer: readonly number[]): RateVerdict {
  const allowances = buckets.map((bucket, i) => ({
    bucket,
    remaining: Math.max(0, bucket.limit - (answer[3 * i + 1] ?? bucket.limit)),
    resetMs: answer[3 * i + 2] ?? 0,
    waitMs: answer[3 * i + 3] ?? 0,
  }));
  const waitMs = Math.max(0, ...allowances.map((a) => a.waitMs));
  return { allowed: answer[0] === 1, waitMs, allowances };
}
