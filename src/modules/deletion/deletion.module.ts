import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { CONSISTENT_READS, type ConsistentReads } from '../../kernel/ports/consistent-reads.js';
import { JOB_QUEUE, type JobQueue } from '../../kernel/ports/queue.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { ApprovalsModule } from '../approvals/index.js';
import {
  AuditAdminModule,
  AuditModule,
  AuditPruningModule,
  ProveRecord,
  PruneAuditLog,
  TRANSACTIONAL_AUDIT,
  type TransactionalAudit,
} from '../audit/index.js';
import { RecordRedaction, WorkerRedactionsModule } from '../redaction/index.js';
import { RETENTION_RULES, RetentionModule, type RetentionRules } from '../retention/index.js';
import { BeginRun } from './app/begin-run.js';
import { CancelRun } from './app/cancel-run.js';
import { CarryOutRun } from './app/carry-out-run.js';
import { ConcludeRun } from './app/conclude-run.js';
import { DELETION_RECORDS, type DeletionRecords } from './app/deletion-records.js';
import { DISPOSERS, type Disposer } from './app/disposer.js';
import { DraftRun } from './app/draft-run.js';
import { MeasureRun } from './app/measure-run.js';
import { PreviewRun } from './app/preview-run.js';
import { ReadDeletionRecords } from './app/read-deletion-records.js';
import { ReadRuns } from './app/read-runs.js';
import { RunAudit } from './app/run-audit.js';
import type { RunParts } from './app/run-parts.js';
import { StartRun } from './app/start-run.js';
import { TakeBatches } from './app/take-batches.js';
import { WatchClocks } from './app/watch-clocks.js';
import { DeletionRecordsModule } from './deletion-records.module.js';
import { DeletionRecordsController } from './http/deletion-records.controller.js';
import { RetentionRunsController } from './http/retention-runs.controller.js';
import { AuditRedactionDisposer } from './infra/audit-redaction-disposer.js';
import { AuditTrailDisposer } from './infra/audit-trail-disposer.js';
import { GovernedTableDisposer } from './infra/governed-table-disposer.js';
import { PostgresDeletionRecords } from './infra/postgres-deletion-records.js';
import { PostgresRunStore } from './infra/postgres-run-store.js';
import { PrismaPreviewReads } from './infra/prisma-preview-reads.js';
import { RetentionJobs } from './jobs/retention-jobs.js';

const PARTS = Symbol('RunParts');
export const RUN_PARTS = PARTS;
const RUN_AUDIT = Symbol('RunAudit');

/** What runs are made of, for those who ask for them and for those who carry them out. */
@Module({
  imports: [AuditModule, AuditPruningModule, RetentionModule, DeletionRecordsModule, WorkerRedactionsModule],
  providers: [
    { provide: PostgresRunStore, inject: [POOL], useFactory: (pool: pg.Pool) => new PostgresRunStore(pool) },
    {
      provide: DISPOSERS,
      inject: [PruneAuditLog, RecordRedaction],
      useFactory: (pruning: PruneAuditLog, redactions: RecordRedaction): readonly Disposer[] => [
        new AuditTrailDisposer(pruning),
        new AuditRedactionDisposer(pruning, redactions),
        new GovernedTableDisposer('delete'),
        new GovernedTableDisposer('anonymise'),
      ],
    },
    {
      provide: RUN_AUDIT,
      inject: [TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (audit: TransactionalAudit, clock: Clock) => new RunAudit(audit, clock),
    },
    {
      provide: MeasureRun,
      inject: [DISPOSERS, PostgresRunStore],
      useFactory: (disposers: readonly Disposer[], store: PostgresRunStore) => new MeasureRun(disposers, store),
    },
    {
      provide: PARTS,
      inject: [
        UNIT_OF_WORK,
        CONSISTENT_READS,
        PostgresRunStore,
        RETENTION_RULES,
        MeasureRun,
        DELETION_RECORDS,
        RUN_AUDIT,
        JOB_QUEUE,
      ],
      useFactory: (
        unitOfWork: UnitOfWork,
        reads: ConsistentReads,
        store: PostgresRunStore,
        rules: RetentionRules,
        measuring: MeasureRun,
        records: DeletionRecords,
        audit: RunAudit,
        queue: JobQueue,
      ): RunParts => ({
        unitOfWork,
        reads: new PrismaPreviewReads(reads),
        store,
        rules,
        measuring,
        concluding: new ConcludeRun(store, records, measuring, audit),
        audit,
        queue,
      }),
    },
  ],
  exports: [PARTS, PostgresRunStore, DeletionRecordsModule],
})
export class RunsModule {}

/** The admin API of runs and deletion records, under /admin/v1/retention. */
@Module({
  imports: [RunsModule, ApprovalsModule, AuditAdminModule],
  controllers: [RetentionRunsController, DeletionRecordsController],
  providers: [
    { provide: DraftRun, inject: [PARTS], useFactory: (parts: RunParts) => new DraftRun(parts) },
    { provide: CancelRun, inject: [PARTS], useFactory: (parts: RunParts) => new CancelRun(parts) },
    {
      provide: StartRun,
      inject: [PARTS, APPROVALS],
      useFactory: (parts: RunParts, approvals: Approvals) => new StartRun(parts, approvals),
    },
    {
      provide: ReadRuns,
      inject: [PARTS],
      useFactory: ({ unitOfWork, store }: RunParts) => new ReadRuns(unitOfWork, store),
    },
    {
      provide: ReadDeletionRecords,
      inject: [UNIT_OF_WORK, PostgresDeletionRecords, ProveRecord],
      useFactory: (unitOfWork: UnitOfWork, store: PostgresDeletionRecords, proving: ProveRecord) =>
        new ReadDeletionRecords(unitOfWork, store, proving),
    },
  ],
})
export class DeletionAdminModule {}

/** Previews and carries out runs, in processes that take jobs. */
@Module({
  imports: [RunsModule],
  providers: [
    {
      provide: CarryOutRun,
      inject: [PARTS, CLOCK, SETTINGS],
      useFactory: (parts: RunParts, clock: Clock, settings: Settings) => {
        const clocks = (): WatchClocks => new WatchClocks(parts.unitOfWork, parts.store, clock);
        return new CarryOutRun(
          parts,
          {
            previewing: new PreviewRun(parts),
            beginning: new BeginRun(parts, settings.RETENTION_BRAKE_PERCENT / 100),
            batches: new TakeBatches(parts, { busyShare: settings.RETENTION_BUSY_SHARE_PERCENT / 100 }),
            clocks,
          },
          new Logger('Retention'),
        );
      },
    },
    {
      provide: RetentionJobs,
      inject: [QueueWorkers, CarryOutRun, PostgresRunStore, JOB_QUEUE],
      useFactory: (workers: QueueWorkers, running: CarryOutRun, store: PostgresRunStore, queue: JobQueue) =>
        new RetentionJobs(workers, running, store, queue, new Logger('Retention')),
    },
  ],
})
export class DeletionJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(RetentionJobs) private readonly jobs: RetentionJobs) {}

  onApplicationBootstrap(): void {
    this.jobs.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }
}
