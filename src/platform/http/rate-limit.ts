import type { ThrottlerStorage } from '@nestjs/throttler';

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

interface Window {
  hits: number;
  readonly endsAt: number;
}

/**
 * The throttler's storage for one process: fixed windows in a map that is swept, not one timer a hit, and bounded, so that
 * a flood of addresses cannot grow it. When full it counts newcomers together: nothing fails open to unlimited.
 */
export class WindowThrottlerStorage implements ThrottlerStorage {
  private windows = new Map<string, Window>();
  private nextSweep = 0;

  constructor(
    private readonly now: () => number = Date.now,
    private readonly maxKeys = 100_000,
  ) {}

  increment(key: string, ttl: number, limit: number): Promise<StorageRecord> {
    return Promise.resolve(this.hit(key, ttl, limit));
  }

  /** Counts one hit and tells whether it is over the limit. Milliseconds in, seconds out, as the throttler wants. */
  hit(key: string, ttlMs: number, limit: number): StorageRecord {
    const now = this.now();
    if (now >= this.nextSweep) this.sweep(now);
    const slot = this.windows.has(key) || this.windows.size < this.maxKeys ? key : 'overflow';
    let window = this.windows.get(slot);
    if (window === undefined || window.endsAt <= now)
      this.windows.set(slot, (window = { hits: 0, endsAt: now + ttlMs }));
    window.hits++;
    const left = Math.ceil((window.endsAt - now) / 1000);
    const isBlocked = window.hits > limit;
    return { totalHits: window.hits, timeToExpire: left, isBlocked, timeToBlockExpire: isBlocked ? left : 0 };
  }

  private sweep(now: number): void {
    for (const [key, window] of this.windows) if (window.endsAt <= now) this.windows.delete(key);
    this.nextSweep = now + 30_000;
  }
}
