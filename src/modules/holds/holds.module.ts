import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { JOB_QUEUE, type JobQueue } from '../../kernel/ports/queue.js';
import { HOLD_COUNTING, RESTORE_JOURNAL, type RestoreJournal } from '../../kernel/ports/restore-journal.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { ApprovalsModule } from '../approvals/index.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { RestoreJournalModule } from '../restore-journal/index.js';
import { CountHold } from './app/count-hold.js';
import { CountOpenHolds } from './app/count-open-holds.js';
import type { HoldParts } from './app/hold-parts.js';
import { PlaceHold } from './app/place-hold.js';
import { ReadHolds } from './app/read-holds.js';
import { ReleaseHold } from './app/release-hold.js';
import { HoldsController } from './http/holds.controller.js';
import { PostgresHoldListing } from './infra/postgres-hold-listing.js';
import { PostgresHolds } from './infra/postgres-holds.js';
import { HoldJobs } from './jobs/hold-jobs.js';

const HOUR_MS = 3_600_000;
export const HOLD_PARTS = Symbol('HoldParts');
const holds = new PostgresHolds();

/** Legal holds: what everybody needs who reads them, or deletes. */
@Module({
  imports: [AuditModule],
  providers: [
    {
      provide: HOLD_PARTS,
      inject: [UNIT_OF_WORK, TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, audit: TransactionalAudit, clock: Clock): HoldParts => ({
        unitOfWork,
        holds,
        audit,
        clock,
      }),
    },
    {
      provide: ReadHolds,
      inject: [UNIT_OF_WORK],
      useFactory: (unitOfWork: UnitOfWork) => new ReadHolds(unitOfWork, holds),
    },
  ],
  exports: [HOLD_PARTS, ReadHolds],
})
export class HoldsModule {}

/** For whoever replays the restore journal: counts the holds that it placed again. */
@Module({
  imports: [HoldsModule],
  providers: [
    {
      provide: HOLD_COUNTING,
      inject: [HOLD_PARTS, POOL],
      useFactory: (parts: HoldParts, pool: pg.Pool) => {
        const listing = new PostgresHoldListing(pool);
        return new CountOpenHolds(new CountHold(parts, listing), listing);
      },
    },
  ],
  exports: [HOLD_COUNTING],
})
export class HoldsReplayModule {}

/** The admin API of holds, under /admin/v1/holds. */
@Module({
  imports: [ApprovalsModule, HoldsModule, RestoreJournalModule],
  controllers: [HoldsController],
  providers: [
    {
      provide: PlaceHold,
      inject: [HOLD_PARTS, RESTORE_JOURNAL, JOB_QUEUE],
      useFactory: (parts: HoldParts, journal: RestoreJournal, queue: JobQueue) =>
        new PlaceHold({ ...parts, journal, queue }),
    },
    {
      provide: ReleaseHold,
      inject: [HOLD_PARTS, APPROVALS, RESTORE_JOURNAL, SETTINGS],
      useFactory: (parts: HoldParts, approvals: Approvals, journal: RestoreJournal, settings: Settings) =>
        new ReleaseHold({ ...parts, approvals, journal }, settings.HOLD_COOLING_HOURS * HOUR_MS),
    },
  ],
})
export class HoldsAdminModule {}

/** Counts large holds, in processes that take jobs. */
@Module({
  imports: [HoldsModule],
  providers: [
    {
      provide: HoldJobs,
      inject: [QueueWorkers, HOLD_PARTS, POOL, JOB_QUEUE],
      useFactory: (workers: QueueWorkers, parts: HoldParts, pool: pg.Pool, queue: JobQueue) => {
        const listing = new PostgresHoldListing(pool);
        return new HoldJobs(workers, new CountHold(parts, listing), listing, queue, new Logger('Holds'));
      },
    },
  ],
})
export class HoldsJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(HoldJobs) private readonly jobs: HoldJobs) {}

  onApplicationBootstrap(): void {
    this.jobs.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }
}
