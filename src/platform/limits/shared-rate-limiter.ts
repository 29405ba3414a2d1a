import type { RateBucket, RateLimiter, RateVerdict } from '../../kernel/ports/rate-limiter.js';
import type { LocalRateLimiter } from './local-rate-limiter.js';
import type { SharedCounts } from './shared-counts.js';

const PING_EVERY_MS = 500;

export interface LimiterLog {
  warn(message: string): void;
  log(message: string): void;
}

/**
 * Counts with all other processes for as long as the shared store answers, and by itself when it does not (decision record
 * 0038). What is let in is counted here as well, all the time: what this process alone refuses costs no round trip, and when
 * the store is gone, emptied or hanging no caller starts afresh.
 *
 * The first call that the store fails is the last that waits for it. From then on it is asked in the background whether it
 * is back.
 */
export class SharedRateLimiter implements RateLimiter {
  private probe: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly shared: SharedCounts,
    private readonly local: LocalRateLimiter,
    private readonly log: LimiterLog,
    private readonly pingEveryMs = PING_EVERY_MS,
  ) {}

  /** Whether calls are counted with the other processes now. */
  get isShared(): boolean {
    return this.probe === undefined;
  }

  /** Connects; a store that is not there at the start is like one that is lost later. */
  async start(): Promise<this> {
    await this.shared.connect().catch((error: unknown) => {
      this.lost(error);
    });
    return this;
  }

  take(buckets: readonly RateBucket[]): RateVerdict | Promise<RateVerdict> {
    if (!this.isShared) return this.local.take(buckets);
    const here = this.local.peek(buckets);
    return here.allowed ? this.takeShared(buckets) : here;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.probe);
    await this.shared.close();
  }

  private async takeShared(buckets: readonly RateBucket[]): Promise<RateVerdict> {
    let verdict: RateVerdict;
    try {
      verdict = await this.shared.take(buckets);
    } catch (error) {
      this.lost(error);
      return this.local.take(buckets);
    }
    if (verdict.allowed) this.local.count(buckets);
    return verdict;
  }

  private lost(error: unknown): void {
    if (!this.isShared || this.closed) return;
    const reason = error instanceof Error ? error.message : 'unknown';
    this.log.warn(
      `the shared store of limits does not answer; every process limits by itself until it does: ${reason}`,
    );
    this.probeLater();
  }

  private probeLater(): void {
    this.probe = setTimeout(() => void this.probeNow(), this.pingEveryMs);
    this.probe.unref();
  }

  private async probeNow(): Promise<void> {
    try {
      await this.shared.ping();
    } catch {
      if (!this.closed) this.probeLater();
      return;
    }
    this.probe = undefined;
    if (!this.closed) this.log.log('the shared store of limits answers again');
  }
}
