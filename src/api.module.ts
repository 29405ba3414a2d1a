import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { GatewayModule } from './gateway.module.js';
import type { Clock } from './kernel/time.js';
import { AuthModule } from './modules/auth/index.js';
import { InventoryModule } from './modules/inventory/index.js';
import type { Settings } from './platform/config/settings.js';
import { SettingsModule } from './platform/config/settings.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { HealthModule } from './platform/health/health.module.js';
import { AccessGuard } from './platform/http/access-guard.js';
import { HttpModule } from './platform/http/http.module.js';
import { DocumentsModule } from './surfaces/documents/documents.module.js';
import { McpModule } from './surfaces/mcp/mcp.module.js';
import { SurfaceFailuresModule } from './surface-failures.module.js';

/** Composition root of the API process. */
@Module({})
export class ApiModule {
  static forRoot(settings: Settings, clock?: Clock): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        SettingsModule.forRoot(settings, clock),
        DatabaseModule,
        SurfaceFailuresModule,
        HttpModule.forRoot(),
        GatewayModule,
        AuthModule,
        InventoryModule,
        HealthModule,
        DocumentsModule,
        McpModule,
      ],
      providers: [{ provide: APP_GUARD, useClass: AccessGuard }],
    };
  }
}
