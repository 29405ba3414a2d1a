/** When a breaker opens and for how long. */
export interface BreakerRules {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** Milliseconds for which it stays open before one call may try again. */
  readonly openMs: number;
}

/**
 * Keeps calls away from a system that does not answer. Closed, it counts failures in a row; open, it lets nothing through
 * until its time is over, then one call alone, whose end decides. It has no timers: the clock is asked when a call comes.
 */
export class CircuitBreaker {
  private failures = 0;
  private openUntil = 0;
  private trying = false;

  constructor(private readonly rules: BreakerRules) {}

  /**
   * Asks for one call, whose end must be told by {@link succeeded} or {@link failed}.
   * @returns undefined when it may go on, else the milliseconds after which asking again is sensible.
   */
  admit(now: number): number | undefined {
    if (this.failures < this.rules.failures) return undefined;
    if (now < this.openUntil) return this.openUntil - now;
    if (this.trying) return this.rules.openMs;
    this.trying = true;
    return undefined;
  }

  succeeded(): void {
    this.failures = 0;
    this.trying = false;
  }

  failed(now: number): void {
    this.failures++;
    this.trying = false;
    if (this.failures >= this.rules.failures) this.openUntil = now + this.rules.openMs;
  }
}
