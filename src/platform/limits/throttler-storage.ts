import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateLimiter } from '../../kernel/ports/rate-limiter.js';

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The storage port of @nestjs/throttler on our limiter: its guard and the pipeline count in the same place. */
export class LimiterThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly limiter: RateLimiter) {}

  /** Milliseconds in, seconds out, as the throttler wants. */
  async increment(key: string, ttl: number, limit: number): Promise<StorageRecord> {
    const bucket = { policy: 'admin', key, limit, windowMs: ttl } as const;
    const { allowed, waitMs, allowances } = await this.limiter.take([bucket]);
    const { remaining = 0, resetMs = 0 } = allowances[0] ?? {};
    return {
      totalHits: allowed ? limit - remaining : limit + 1,
      timeToExpire: Math.ceil(resetMs / 1000),
      isBlocked: !allowed,
      timeToBlockExpire: Math.ceil(waitMs / 1000),
    };
  }
}
