import type { OnApplicationShutdown } from '@nestjs/common';
import { Global, Inject, Logger, Module } from '@nestjs/common';
import { RATE_LIMITER, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { deriveKey, readSecrets } from '../config/secrets.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/settings.js';
import { PROBING_WATCH, type ProbingWatch } from '../../kernel/ports/probing-watch.js';
import { LIMITS } from '../../kernel/limits.js';
import { AnomalyEdge } from './anomaly-edge.js';
import { CredentialThrottle } from './credential-throttle.js';
import { FailurePauses } from './failure-pauses.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { ProbingPauses } from './probing-pauses.js';
import { RedisCounts } from './shared-counts.js';
import { SharedRateLimiter } from './shared-rate-limiter.js';

/** The one limiter that everything counts on: of all processes together where there is a Redis, else of this one. */
@Global()
@Module({
  providers: [
    {
      provide: RATE_LIMITER,
      inject: [SETTINGS],
      useFactory: async (settings: Settings): Promise<RateLimiter> => {
        const local = new LocalRateLimiter();
        if (settings.REDIS_URL === undefined) return local;
        const nameKey = deriveKey((await readSecrets(settings)).current, 'limit-name').toString('hex');
        return new SharedRateLimiter(new RedisCounts(settings.REDIS_URL, nameKey), local, new Logger('limits')).start();
      },
    },
    {
      provide: CredentialThrottle,
      inject: [RATE_LIMITER, SETTINGS],
      useFactory: (limiter: RateLimiter, settings: Settings) =>
        new CredentialThrottle(
          new FailurePauses(limiter, {
            name: 'credential',
            failures: settings.BAD_CREDENTIALS_BEFORE_PAUSE,
            windowMs: LIMITS.failureWindowMs.value,
            pauseMs: LIMITS.badCredentialPauseMs.value,
          }),
        ),
    },
    {
      provide: PROBING_WATCH,
      inject: [RATE_LIMITER, SETTINGS],
      useFactory: (limiter: RateLimiter, settings: Settings) =>
        new ProbingPauses(
          new FailurePauses(limiter, {
            name: 'probing',
            failures: settings.MISSES_BEFORE_PAUSE,
            windowMs: LIMITS.failureWindowMs.value,
            pauseMs: LIMITS.probingPauseMs.value,
          }),
        ),
    },
    {
      provide: AnomalyEdge,
      inject: [CredentialThrottle, PROBING_WATCH],
      useFactory: (credentials: CredentialThrottle, probing: ProbingWatch) => new AnomalyEdge(credentials, probing),
    },
  ],
  exports: [RATE_LIMITER, PROBING_WATCH, AnomalyEdge, CredentialThrottle],
})
export class LimitsModule implements OnApplicationShutdown {
  constructor(@Inject(RATE_LIMITER) private readonly limiter: RateLimiter) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.limiter instanceof SharedRateLimiter) await this.limiter.close();
  }
}
