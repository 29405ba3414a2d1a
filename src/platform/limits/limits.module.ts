import type { OnApplicationShutdown } from '@nestjs/common';
import { Global, Inject, Logger, Module } from '@nestjs/common';
import { RATE_LIMITER, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { deriveKey, readSecrets } from '../config/secrets.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/settings.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
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
  ],
  exports: [RATE_LIMITER],
})
export class LimitsModule implements OnApplicationShutdown {
  constructor(@Inject(RATE_LIMITER) private readonly limiter: RateLimiter) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.limiter instanceof SharedRateLimiter) await this.limiter.close();
  }
}
