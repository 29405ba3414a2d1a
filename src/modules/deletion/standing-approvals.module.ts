import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { ApprovalsModule } from '../approvals/index.js';
import { BeginRun } from './app/begin-run.js';
import { ManageStandingApprovals } from './app/manage-standing-approvals.js';
import type { RunParts } from './app/run-parts.js';
import { SweepDaily } from './app/sweep-daily.js';
import { WatchClocks } from './app/watch-clocks.js';
import { RUN_PARTS, RunsModule } from './deletion.module.js';
import { StandingApprovalsController } from './http/standing-approvals.controller.js';
import { PostgresStandingApprovals } from './infra/postgres-standing-approvals.js';
import { SweepJobs } from './jobs/sweep-jobs.js';

const standings = {
  provide: PostgresStandingApprovals,
  inject: [POOL],
  useFactory: (pool: pg.Pool) => new PostgresStandingApprovals(pool),
};

/** The admin API of standing approvals, under /admin/v1/retention/standing-approvals. */
@Module({
  imports: [RunsModule, ApprovalsModule],
  controllers: [StandingApprovalsController],
  providers: [
    standings,
    {
      provide: ManageStandingApprovals,
      inject: [RUN_PARTS, PostgresStandingApprovals, APPROVALS],
      useFactory: (parts: RunParts, store: PostgresStandingApprovals, approvals: Approvals) =>
        new ManageStandingApprovals(parts, store, approvals),
    },
  ],
})
export class StandingApprovalsAdminModule {}

/** The daily sweep under standing approvals, in processes that take jobs. */
@Module({
  imports: [RunsModule],
  providers: [
    standings,
    {
      provide: SweepDaily,
      inject: [RUN_PARTS, PostgresStandingApprovals, CLOCK, SETTINGS],
      useFactory: (parts: RunParts, store: PostgresStandingApprovals, clock: Clock, settings: Settings) => {
        const clocks = (): WatchClocks => new WatchClocks(parts.unitOfWork, parts.store, clock);
        return new SweepDaily(parts, store, new BeginRun(parts, settings.RETENTION_BRAKE_PERCENT / 100), clocks);
      },
    },
    {
      provide: SweepJobs,
      inject: [SweepDaily],
      useFactory: (sweeping: SweepDaily) => new SweepJobs(sweeping, new Logger('Retention')),
    },
  ],
})
export class StandingApprovalsJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(SweepJobs) private readonly jobs: SweepJobs) {}

  onApplicationBootstrap(): void {
    this.jobs.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }
}
