import type { Allowance, RateBucket, RateLimiter, RatePolicy, RateVerdict } from '../../kernel/ports/rate-limiter.js';
import { RATE_WINDOW_MS } from '../../kernel/ports/rate-limiter.js';
import { SlidingWindow } from './sliding-window.js';

const SWEEP_EVERY_MS = 30_000;

/**
 * Counts within one process. What it holds is bounded for each policy, so that a flood of one kind of names cannot grow it
 * or push out others: newcomers to a full policy are counted together, and nothing fails open to unlimited.
 */
export class LocalRateLimiter implements RateLimiter {
  private readonly windows = new Map<RatePolicy, Map<string, SlidingWindow>>();
  private nextSweep = 0;

  /** @param maxKeys allowances that each policy holds */
  constructor(
    private readonly now: () => number = Date.now,
    private readonly maxKeys = 100_000,
  ) {}

  take(buckets: readonly RateBucket[]): RateVerdict {
    const verdict = this.peek(buckets);
    return verdict.allowed ? this.count(buckets) : verdict;
  }

  /** What `take` would say, with nothing counted. */
  peek(buckets: readonly RateBucket[]): RateVerdict {
    const now = this.now();
    if (now >= this.nextSweep) this.sweep(now);
    let waitMs = 0;
    const allowances = buckets.map((bucket): Allowance => {
      const state = this.windowsOf(bucket.policy).get(bucket.key)?.state(now, bucket.limit);
      const allowance = state === undefined ? this.unseen(bucket, now) : allowanceOf(bucket, state);
      if (allowance.waitMs > waitMs) ({ waitMs } = allowance);
      return allowance;
    });
    return { allowed: waitMs === 0, waitMs, allowances };
  }

  /** Counts a call that has been let in, whatever is left. */
  count(buckets: readonly RateBucket[]): RateVerdict {
    const now = this.now();
    const allowances = buckets.map((bucket): Allowance => {
      const window = this.windowOf(bucket);
      window.count(now);
      return { ...allowanceOf(bucket, window.state(now, bucket.limit)), waitMs: 0 };
    });
    return { allowed: true, waitMs: 0, allowances };
  }

  /** A key that has no window: a new one, or one of those that share because there are too many. */
  private unseen(bucket: RateBucket, now: number): Allowance {
    const windows = this.windowsOf(bucket.policy);
    const shared = windows.size < this.maxKeys ? undefined : windows.get(SHARED);
    if (shared !== undefined) return allowanceOf(bucket, shared.state(now, bucket.limit));
    return { bucket, remaining: bucket.limit, resetMs: 0, waitMs: 0 };
  }

  private windowOf({ policy, key, windowMs = RATE_WINDOW_MS }: RateBucket): SlidingWindow {
    const windows = this.windowsOf(policy);
    const slot = windows.has(key) || windows.size < this.maxKeys ? key : SHARED;
    let window = windows.get(slot);
    if (window === undefined) windows.set(slot, (window = new SlidingWindow(windowMs)));
    return window;
  }

  private windowsOf(policy: RatePolicy): Map<string, SlidingWindow> {
    let windows = this.windows.get(policy);
    if (windows === undefined) this.windows.set(policy, (windows = new Map<string, SlidingWindow>()));
    return windows;
  }

  private sweep(now: number): void {
    for (const windows of this.windows.values())
      for (const [key, window] of windows) if (window.isIdle(now)) windows.delete(key);
    this.nextSweep = now + SWEEP_EVERY_MS;
  }
}

/** No key of a policy is empty. */
const SHARED = '';

function allowanceOf(
  bucket: RateBucket,
  { used, resetMs, waitMs }: { readonly used: number; readonly resetMs: number; readonly waitMs: number },
): Allowance {
  return { bucket, remaining: Math.max(0, bucket.limit - used), resetMs, waitMs };
}
