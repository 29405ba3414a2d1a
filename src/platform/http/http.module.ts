import { hash } from 'node:crypto';
import type { DynamicModule } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { RATE_LIMITER, RATE_WINDOW_MS, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/settings.js';
import { LimitsModule } from '../limits/limits.module.js';
import { LimiterThrottlerStorage } from '../limits/throttler-storage.js';
import { CursorSealer } from '../../kernel/cursor/cursor-sealer.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../config/secrets.js';
import { AdminCursors } from './admin-cursors.js';
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
          provide: AdminCursors,
          inject: [SETTINGS, CLOCK],
          useFactory: async (settings: Settings, clock: Clock) =>
            new AdminCursors(cursorSealerOf(await readSecrets(settings)), clock),
        },
        {
          provide: ORIGIN_POLICY,
          inject: [SETTINGS, PUBLIC_URL],
          useFactory: (settings: Settings, publicUrl: string) => new OriginPolicy(settings, publicUrl),
        },
        { provide: PUBLIC_URL, inject: [SETTINGS], useFactory: publicUrlOf },
      ],
      exports: [AdminCursors, FailureFilter, ORIGIN_POLICY, PUBLIC_URL],
    };
  }
}

/** The current secret signs; the one before the last rotation is still accepted. */
function cursorSealerOf({
  current,
  previous,
}: {
  readonly current: string;
  readonly previous: string | null;
}): CursorSealer {
  const secrets = previous === null ? [current] : [current, previous];
  const keys = secrets.map((secret) => deriveKey(secret, 'admin-cursor'));
  const ring = keys.map((secret) => ({ id: hash('sha256', secret, 'buffer').readUInt8(0), secret }));
  return new CursorSealer(ring.filter(({ id }, place) => ring.findIndex((key) => key.id === id) === place));
}
