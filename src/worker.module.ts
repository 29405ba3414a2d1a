import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { AccessSnapshotsModule } from './modules/access-snapshots/index.js';
import {
  AuditExportsJobsModule,
  AuditLogJobsModule,
  AuditLogModule,
  AuditOutsideJobsModule,
  AuditStreamsJobsModule,
} from './modules/audit/index.js';
import { AuthModule } from './modules/auth/index.js';
import { DeletionJobsModule, StandingApprovalsJobsModule } from './modules/deletion/index.js';
import { FileRemovalJobsModule } from './modules/file-removal/index.js';
import { HoldNoticesJobsModule, HoldsJobsModule, HoldsReplayModule } from './modules/holds/index.js';
import { IdempotencyJobsModule } from './modules/idempotency/index.js';
import { InventoryJobsModule, InventoryModule } from './modules/inventory/index.js';
import { RestoreGateModule, RestoreJournalModule } from './modules/restore-journal/index.js';
import { PrivacyJobsModule, PrivacyReplayModule } from './modules/privacy/index.js';
import { StaffModule } from './modules/staff/index.js';
import type { Settings } from './platform/config/settings.js';
import { SettingsModule } from './platform/config/settings.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { QueueModule } from './platform/queue/queue.module.js';

/** Composition root of the worker process and, without `takeJobs`, of the command line. */
@Module({})
export class WorkerModule {
  static forRoot(settings: Settings, options: { readonly takeJobs: boolean }): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        SettingsModule.forRoot(settings),
        DatabaseModule,
        AccessSnapshotsModule,
        QueueModule,
        AuthModule,
        StaffModule,
        InventoryModule,
        AuditLogModule,
        RestoreJournalModule,
        HoldsReplayModule,
        PrivacyReplayModule,
        ...(options.takeJobs
          ? [
              RestoreGateModule,
              InventoryJobsModule,
              AuditLogJobsModule,
              AuditOutsideJobsModule,
              AuditExportsJobsModule,
              AuditStreamsJobsModule,
              DeletionJobsModule,
              StandingApprovalsJobsModule,
              IdempotencyJobsModule,
              HoldNoticesJobsModule,
              HoldsJobsModule,
              FileRemovalJobsModule,
              PrivacyJobsModule,
            ]
          : []),
      ],
    };
  }
}
