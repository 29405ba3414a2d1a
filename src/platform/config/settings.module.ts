import type { DynamicModule } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';
import type { Clock } from '../../kernel/time.js';
import { CLOCK, SystemClock } from '../../kernel/time.js';
import type { Settings } from './settings.js';
import { SETTINGS } from './settings.js';

/** Makes the checked settings and the clock injectable everywhere. */
@Global()
@Module({})
export class SettingsModule {
  static forRoot(settings: Settings, clock: Clock = new SystemClock()): DynamicModule {
    return {
      module: SettingsModule,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: CLOCK, useValue: clock },
      ],
      exports: [SETTINGS, CLOCK],
    };
  }
}
