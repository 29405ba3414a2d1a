import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { JOB_QUEUE, type JobQueue } from '../../kernel/ports/queue.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { fileFolders } from '../../platform/files/file-folders.js';
import { LocalContentStore } from '../../platform/files/local-content-store.js';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { AuditModule } from './audit.module.js';
import { AuditExports } from './app/exports/audit-exports.js';
import { ExportAudit } from './app/exports/export-audit.js';
import { ExportHeaders } from './app/exports/export-headers.js';
import { HeldRows } from './app/exports/held-rows.js';
import { RunAuditExport } from './app/exports/run-audit-export.js';
import { SupersededExports } from './app/exports/superseded-exports.js';
import { TRANSACTIONAL_AUDIT, type TransactionalAudit } from './app/transactional-audit.js';
import { AuditExportsController } from './http/audit-exports.controller.js';
import { PostgresAuditLog } from './infra/postgres-audit-log.js';
import { PostgresExportedEntries } from './infra/postgres-exported-entries.js';
import { PrismaAuditExports } from './infra/prisma-audit-exports.js';
import { AuditExportJobs } from './jobs/audit-export-jobs.js';

const FILES = Symbol('AuditExportFiles');

/** What redactions do to exports. */
@Module({
  imports: [AuditModule],
  providers: [
    { provide: PrismaAuditExports, inject: [POOL], useFactory: (pool: pg.Pool) => new PrismaAuditExports(pool) },
    {
      provide: ExportAudit,
      inject: [TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (audit: TransactionalAudit, clock: Clock) => new ExportAudit(audit, clock),
    },
    {
      provide: SupersededExports,
      inject: [UNIT_OF_WORK, PrismaAuditExports, ExportAudit],
      useFactory: (unitOfWork: UnitOfWork, store: PrismaAuditExports, audit: ExportAudit) =>
        new SupersededExports(unitOfWork, store, audit),
    },
  ],
  exports: [PrismaAuditExports, ExportAudit, SupersededExports],
})
export class SupersededExportsModule {}

/** Exports of the trail, for those who ask for them and for those who write them. */
@Module({
  imports: [SupersededExportsModule],
  providers: [
    {
      provide: FILES,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new LocalContentStore(fileFolders(settings).audit_export),
    },
    {
      provide: AuditExports,
      inject: [UNIT_OF_WORK, PrismaAuditExports, ExportAudit, JOB_QUEUE, FILES],
      useFactory: (
        unitOfWork: UnitOfWork,
        store: PrismaAuditExports,
        audit: ExportAudit,
        queue: JobQueue,
        files: LocalContentStore,
      ) => new AuditExports(unitOfWork, store, audit, queue, files),
    },
  ],
  exports: [SupersededExportsModule, AuditExports, FILES],
})
class AuditExportsModule {}

/** The admin API of exports. */
@Module({ imports: [AuditExportsModule], controllers: [AuditExportsController] })
export class AuditExportsAdminModule {}

/** Writes exports, in processes that take jobs. */
@Module({
  imports: [AuditExportsModule],
  providers: [
    {
      provide: RunAuditExport,
      inject: [UNIT_OF_WORK, PrismaAuditExports, POOL, FILES, ExportAudit, SETTINGS],
      useFactory: (
        unitOfWork: UnitOfWork,
        store: PrismaAuditExports,
        pool: pg.Pool,
        files: LocalContentStore,
        audit: ExportAudit,
        settings: Settings,
      ) => {
        const [log, entries] = [new PostgresAuditLog(pool), new PostgresExportedEntries(pool)];
        const headers = new ExportHeaders(log, entries, settings.GATEWAY_ID);
        const held = new HeldRows(log, entries);
        return new RunAuditExport(unitOfWork, store, entries, { headers, held }, files, audit);
      },
    },
    {
      provide: AuditExportJobs,
      inject: [QueueWorkers, RunAuditExport, PrismaAuditExports, SupersededExports, JOB_QUEUE],
      useFactory: (
        workers: QueueWorkers,
        running: RunAuditExport,
        store: PrismaAuditExports,
        superseded: SupersededExports,
        queue: JobQueue,
      ) => new AuditExportJobs(workers, running, { store, superseded, queue }, new Logger('AuditExports')),
    },
  ],
})
export class AuditExportsJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(AuditExportJobs) private readonly jobs: AuditExportJobs) {}

  onApplicationBootstrap(): void {
    this.jobs.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }
}
