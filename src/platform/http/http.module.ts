import type { DynamicModule } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import type { RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { RATE_LIMITER } from '../../kernel/ports/rate-limiter.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/settings.js';
import { FailureFilter } from './failure-filter.js';
import { ORIGIN_POLICY, OriginPolicy } from './origin-policy.js';
import { PUBLIC_URL, publicUrlOf } from './public-url.js';
import { WindowThrottlerStorage } from './rate-limit.js';
import { AdminThrottlerGuard } from './throttle-admin.guard.js';

const MINUTE_MS = 60_000;

/** The edge: guards, the filter of last resort, origin policy and limits. */
@Global()
@Module({})
export class HttpModule {
  static forRoot(): DynamicModule {
    const storage = new WindowThrottlerStorage(); // the guard and the pipeline count on the same one
    return {
      module: HttpModule,
      imports: [
        ThrottlerModule.forRootAsync({
          inject: [SETTINGS],
          useFactory: (settings: Settings) => ({
            storage,
            throttlers: [{ name: 'admin', ttl: MINUTE_MS, limit: settings.ADMIN_CALLS_PER_MINUTE }],
          }),
        }),
      ],
      providers: [
        { provide: APP_GUARD, useClass: AdminThrottlerGuard },
        FailureFilter,
        { provide: APP_FILTER, useExisting: FailureFilter },
        {
          provide: ORIGIN_POLICY,
          inject: [SETTINGS, PUBLIC_URL],
          useFactory: (settings: Settings, publicUrl: string) => new OriginPolicy(settings, publicUrl),
        },
        { provide: RATE_LIMITER, useValue: limiterOn(storage) },
        { provide: PUBLIC_URL, inject: [SETTINGS], useFactory: publicUrlOf },
      ],
      exports: [FailureFilter, ORIGIN_POLICY, RATE_LIMITER, PUBLIC_URL],
    };
  }
}

function limiterOn(storage: WindowThrottlerStorage): RateLimiter {
  return {
    take: (key, perMinute) => {
      const { isBlocked, timeToBlockExpire } = storage.hit(key, MINUTE_MS, perMinute);
      return isBlocked ? timeToBlockExpire * 1000 : undefined;
    },
  };
}
