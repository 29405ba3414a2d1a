import type { RateLimiter } from '../../kernel/ports/rate-limiter.js';

export interface PauseRule {
  readonly name: string;
  /** So many failures within the window, and whoever made the last one is paused. */
  readonly failures: number;
  readonly windowMs: number;
  readonly pauseMs: number;
}

const MOST_PAUSED = 100_000;

/**
 * Failures, counted with all processes, and who must wait after too many. The pauses themselves are each process's own, so
 * that looking costs nothing: another process learns of it with the next failure that it sees. A success takes nothing
 * back. After a pause one more attempt is heard, and a failure pauses again until the old ones have left the window.
 */
export class FailurePauses {
  private readonly until = new Map<string, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly rule: PauseRule,
    private readonly now: () => number = Date.now,
  ) {}

  /** Milliseconds that are left of a pause; 0 where there is none. */
  pausedMs(who: string): number {
    const until = this.until.get(who);
    if (until === undefined) return 0;
    const left = until - this.now();
    if (left > 0) return Math.ceil(left);
    this.until.delete(who);
    return 0;
  }

  /** Counts a failure. @param counted whose failures are added up, where that is not only who is paused for them */
  async failed(who: string, counted: string = who): Promise<void> {
    const { name, failures: limit, windowMs, pauseMs } = this.rule;
    const verdict = await this.limiter.take([{ policy: 'failures', key: `${name}:${counted}`, limit, windowMs }]);
    if (verdict.allowed && (verdict.allowances[0]?.remaining ?? 0) > 0) return;
    if (this.until.size >= MOST_PAUSED) this.forgetOldest();
    this.until.delete(who); // so that the oldest is first
    this.until.set(who, this.now() + pauseMs);
  }

  private forgetOldest(): void {
    const oldest = this.until.keys().next();
    if (oldest.done !== true) this.until.delete(oldest.value);
  }
}
