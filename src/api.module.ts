import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AdminAuditModule } from './admin-audit.module.js';
import { GatewayModule } from './gateway.module.js';
import type { Clock } from './kernel/time.js';
import { ApprovalsAdminModule } from './modules/approvals/index.js';
import { AccessSnapshotsAdminModule, AccessSnapshotsModule } from './modules/access-snapshots/index.js';
import {
  AuditAdminModule,
  AuditExportsAdminModule,
  AuditExportsJobsModule,
  AuditLogJobsModule,
  AuditOutsideAdminModule,
  AuditOutsideJobsModule,
  AuditStreamsAdminModule,
  AuditStreamsJobsModule,
} from './modules/audit/index.js';
import { AuthorizationServerModule, EmbeddedIssuerModule } from './modules/authorization-server/index.js';
import { AccessReviewModule, AuthAdminModule, AuthModule } from './modules/auth/index.js';
import {
  DeletionAdminModule,
  DeletionJobsModule,
  StandingApprovalsAdminModule,
  StandingApprovalsJobsModule,
} from './modules/deletion/index.js';
import { FileRemovalAdminModule, FileRemovalJobsModule } from './modules/file-removal/index.js';
import {
  HoldNoticesAdminModule,
  HoldNoticesJobsModule,
  HoldsAdminModule,
  HoldsJobsModule,
  HoldsReplayModule,
} from './modules/holds/index.js';
import { IdempotencyJobsModule, IdempotencyModule } from './modules/idempotency/index.js';
import { InventoryAdminModule, InventoryJobsModule } from './modules/inventory/index.js';
import { PolicyAdminModule } from './modules/policy/index.js';
import { RetentionAdminModule } from './modules/retention/index.js';
import { PrivacyAdminModule, PrivacyJobsModule, PrivacyReplayModule } from './modules/privacy/index.js';
import { RedactionAdminModule } from './modules/redaction/index.js';
import { RestoreGateModule } from './modules/restore-journal/index.js';
import { StaffAdminModule } from './modules/staff/index.js';
import { OrganizationsAdminModule } from './modules/organizations/index.js';
import { TenancyAdminModule } from './modules/tenancy/index.js';
import { isAuthorizationServer } from './platform/config/load-settings.js';
import type { Settings } from './platform/config/settings.js';
import { SettingsModule } from './platform/config/settings.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { MetricsModule } from './metrics.module.js';
import { HealthModule } from './platform/health/health.module.js';
import { AccessGuard } from './platform/http/access-guard.js';
import { IdempotencyInterceptor } from './platform/http/idempotency.interceptor.js';
import { HttpModule } from './platform/http/http.module.js';
import { AdminThrottlerGuard } from './platform/http/throttle-admin.guard.js';
import { StaffThrottlerInterceptor } from './platform/http/throttle-staff.interceptor.js';
import { QueueModule } from './platform/queue/queue.module.js';
import { StaffAccessModule } from './staff-access.module.js';
import { SurfaceFailuresModule } from './surface-failures.module.js';
import { DocumentsModule } from './surfaces/documents/documents.module.js';
import { OpenApiModule } from './surfaces/ops/openapi/openapi.controller.js';
import { McpModule } from './surfaces/mcp/mcp.module.js';

/** The admin API, part by part. */
const ADMIN_API = [
  AccessSnapshotsAdminModule,
  AuthAdminModule,
  AccessReviewModule,
  StaffAdminModule,
  ApprovalsAdminModule,
  TenancyAdminModule,
  OrganizationsAdminModule,
  PolicyAdminModule,
  HoldNoticesAdminModule,
  HoldsAdminModule,
  InventoryAdminModule,
  AuditAdminModule,
  RedactionAdminModule,
  PrivacyAdminModule,
  RetentionAdminModule.with(PrivacyReplayModule),
  DeletionAdminModule,
  StandingApprovalsAdminModule,
  FileRemovalAdminModule,
  AuditOutsideAdminModule,
  AuditExportsAdminModule,
  AuditStreamsAdminModule,
];

/** What works beside requests, in the one process that runs everything. */
const JOBS = [
  InventoryJobsModule,
  AuditLogJobsModule,
  AuditOutsideJobsModule,
  AuditExportsJobsModule,
  AuditStreamsJobsModule,
  DeletionJobsModule,
  StandingApprovalsJobsModule,
  IdempotencyJobsModule,
  PrivacyJobsModule,
  HoldNoticesJobsModule,
  HoldsJobsModule,
  FileRemovalJobsModule,
];

/** Composition root of the API process; with `takeJobs` of the one that runs everything. */
@Module({})
export class ApiModule {
  static forRoot(
    settings: Settings,
    options: { readonly takeJobs?: boolean; readonly clock?: Clock } = {},
  ): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        SettingsModule.forRoot(settings, options.clock),
        DatabaseModule,
        AccessSnapshotsModule,
        QueueModule,
        SurfaceFailuresModule,
        HttpModule.forRoot(),
        ...(isAuthorizationServer(settings) ? [EmbeddedIssuerModule, AuthorizationServerModule] : []),
        AdminAuditModule,
        GatewayModule,
        IdempotencyModule,
        AuthModule,
        StaffAccessModule,
        ...ADMIN_API,
        HoldsReplayModule,
        RestoreGateModule,
        HealthModule,
        MetricsModule,
        DocumentsModule,
        OpenApiModule,
        McpModule,
        ...(options.takeJobs === true ? JOBS : []),
      ],
      providers: [
        // In this order: a network's attempts are counted before its credentials are looked at.
        { provide: APP_GUARD, useClass: AdminThrottlerGuard },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_INTERCEPTOR, useClass: StaffThrottlerInterceptor },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
      ],
    };
  }
}
