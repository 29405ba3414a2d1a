import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { RateLimiter } from '../../../kernel/ports/rate-limiter.js';
import type { RecordStore } from './record-store.js';

export interface AllowanceLimits {
  readonly callsPerMinute: number;
  readonly registrationsPerMinute: number;
}

/** How often a network may come, and how many clients there may be. Nobody has signed in when these count. */
export class Allowances {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly records: RecordStore,
    private readonly limits: AllowanceLimits,
  ) {}

  /** @throws Failure `limit.rate_exceeded` */
  call(network: string): Promise<void> {
    return this.count(`oauth:${network}`, this.limits.callsPerMinute);
  }

  /** @throws Failure `limit.rate_exceeded`; `limit.busy` while there are as many registered clients as we keep. */
  async registration(network: string): Promise<void> {
    await this.count(`oauth.register:${network}`, this.limits.registrationsPerMinute);
    if ((await this.records.count('Client')) >= LIMITS.registeredClients.value)
      throw new Failure('limit.busy', { retryAfterMs: 3_600_000 });
  }

  /** Documents of clients that we fetch because somebody named them. @returns false when it was enough for now. */
  async fetch(network: string): Promise<boolean> {
    const key = `oauth.fetch:${network}`;
    return (await this.limiter.take([{ policy: 'network', key, limit: this.limits.registrationsPerMinute }])).allowed;
  }

  private async count(key: string, limit: number): Promise<void> {
    const { allowed, waitMs } = await this.limiter.take([{ policy: 'network', key, limit }]);
    if (!allowed) throw new Failure('limit.rate_exceeded', { retryAfterMs: waitMs });
  }
}
