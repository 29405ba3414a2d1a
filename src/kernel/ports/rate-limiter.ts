/** Whose allowances there are; also their names in the `RateLimit` fields. */
export type RatePolicy = 'network' | 'subject' | 'key' | 'rooftop' | 'source' | 'admin' | 'failures';

/** One allowance that a call counts on: at most `limit` calls in any window of `windowMs`. */
export interface RateBucket {
  readonly policy: RatePolicy;
  /** Whose it is, among those of its policy. */
  readonly key: string;
  readonly limit: number;
  /** Milliseconds; a minute where it is left out. */
  readonly windowMs?: number;
}

/** What is left of one allowance after a call. */
export interface Allowance {
  readonly bucket: RateBucket;
  readonly remaining: number;
  /** Milliseconds until some of what is used is given back; 0 where nothing is used. */
  readonly resetMs: number;
  /** Milliseconds until one more call fits; 0 where one fits now, or this one did. */
  readonly waitMs: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Milliseconds after which all of the refusing allowances have room; 0 when allowed. */
  readonly waitMs: number;
  /** In the order of the buckets. */
  readonly allowances: readonly Allowance[];
}

/**
 * Port: counts calls against the allowances that they fall under. A call is counted once in each, or, when one of them is
 * used up, in none. It never throws and never fails open: without its shared store it counts by itself (decision record 0038).
 */
export interface RateLimiter {
  take(buckets: readonly RateBucket[]): RateVerdict | Promise<RateVerdict>;
}

export const RATE_LIMITER = Symbol('RateLimiter');
export const RATE_WINDOW_MS = 60_000;

export const ALLOWED: RateVerdict = { allowed: true, waitMs: 0, allowances: [] };
