import type { DynamicModule } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { RATE_LIMITER, RATE_WINDOW_MS, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/settings.js';
import { LimitsModule } from '../limits/limits.module.js';
import { LimiterThrottlerStorage } from '../limits/throttler-storage.js';
import { FailureFilter } from './failure-filter.js';
import { ORIGIN_POLICY, OriginPolicy } from './origin-policy.js';
import { PUBLIC_URL, publicUrlOf } from './public-url.js';

/** The edge: guards, the filter of last resort, origin policy and limits. */
@Global()
@Module({})
export class HttpModule {
  static forRoot(): DynamicModule {
    return {
      module: HttpModule,
      imports: [
        LimitsModule,
        ThrottlerModule.forRootAsync({
          inject: [SETTINGS, RATE_LIMITER],
          useFactory: (settings: Settings, limiter: RateLimiter) => ({
            storage: new LimiterThrottlerStorage(limiter), // the guard and the pipeline count on the same one
            throttlers: [{ name: 'admin', ttl: RATE_WINDOW_MS, limit: settings.ADMIN_CALLS_PER_MINUTE }],
          }),
        }),
      ],
      providers: [
        FailureFilter,
        { provide: APP_FILTER, useExisting: FailureFilter },
        {
          provide: ORIGIN_POLICY,
          inject: [SETTINGS, PUBLIC_URL],
          useFactory: (settings: Settings, publicUrl: string) => new OriginPolicy(settings, publicUrl),
        },
        { provide: PUBLIC_URL, inject: [SETTINGS], useFactory: publicUrlOf },
      ],
      exports: [FailureFilter, ORIGIN_POLICY, PUBLIC_URL],
    };
  }
}
