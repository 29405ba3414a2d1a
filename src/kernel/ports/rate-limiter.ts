/** Port: counts calls against a caller's allowance. */
export interface RateLimiter {
  /**
   * Counts one call.
   * @returns undefined when the call may go on, else the milliseconds after which the allowance is renewed.
   */
  take(key: string, perMinute: number): Promise<number | undefined> | number | undefined;
}

export const RATE_LIMITER = Symbol('RateLimiter');
