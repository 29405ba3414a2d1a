import { Module } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { VERSION } from '../../platform/config/version.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { DELETION_RECORDS } from './app/deletion-records.js';
import { WriteDeletionRecord } from './app/write-deletion-record.js';
import { PostgresDeletionRecords } from './infra/postgres-deletion-records.js';

/** Deletion records, for runs and for erasures. */
@Module({
  imports: [AuditModule],
  providers: [
    PostgresDeletionRecords,
    {
      provide: DELETION_RECORDS,
      inject: [PostgresDeletionRecords, TRANSACTIONAL_AUDIT, CLOCK, SETTINGS],
      useFactory: (store: PostgresDeletionRecords, audit: TransactionalAudit, clock: Clock, settings: Settings) =>
        new WriteDeletionRecord(store, audit, clock, {
          version: VERSION,
          residual: {
            vacuum: settings.RESIDUAL_VACUUM_DAYS,
            wal: settings.RESIDUAL_WAL_DAYS,
            backups: settings.RESIDUAL_BACKUP_DAYS,
          },
        }),
    },
  ],
  exports: [DELETION_RECORDS, PostgresDeletionRecords],
})
export class DeletionRecordsModule {}
