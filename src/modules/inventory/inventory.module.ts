import { join } from 'node:path';
import {
  Inject,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type pg from 'pg';
import { JOB_QUEUE, type JobQueue } from '../../kernel/ports/queue.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL, POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { fileFolders } from '../../platform/files/file-folders.js';
import { ChannelListener } from '../../platform/database/channel-listener.js';
import { EgressClient } from '../../platform/egress/egress-client.js';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import {
  DEALER_CHANGES,
  DEALER_DIRECTORY,
  type DealerChanges,
  type DealerDirectory,
  TenancyModule,
} from '../tenancy/index.js';
import { ApplyUnitEvent } from './app/apply-unit-event.js';
import { ChangeFeed } from './app/change-feed.js';
import { CreateFeed } from './app/create-feed.js';
import { FeedReports } from './app/feed-reports.js';
import { INVENTORY_READER, type InventoryReader } from './app/inventory-reader.js';
import { PullFeed } from './app/pull-feed.js';
import { PUBLISHED_EXPORT } from './app/published-export.js';
import { PUBLISHED_UNIT_READER, type PublishedUnitReader } from './app/published-unit-reader.js';
import { PublishRun } from './app/publish-run.js';
import { ReceiveFeedFile } from './app/receive-feed-file.js';
import { ReleaseHeldRun } from './app/release-held-run.js';
import { ReviewDiscrepancy } from './app/review-discrepancy.js';
import { ResumeOpenRuns } from './app/resume-open-runs.js';
import { RunFeedImport } from './app/run-feed-import.js';
import { ScanWatchedFolders } from './app/scan-watched-folders.js';
import { ScheduleFetches } from './app/schedule-fetches.js';
import { TraceValue } from './app/trace-value.js';
import { WithheldReport } from './app/withheld-report.js';
import { DiscrepanciesController } from './http/discrepancies.controller.js';
import { FeedRunsController } from './http/feed-runs.controller.js';
import { FeedsController } from './http/feeds.controller.js';
import { PublishedInventoryController } from './http/published-inventory.controller.js';
import { WithheldInventoryController } from './http/withheld-inventory.controller.js';
import { EgressFeedFetcher } from './infra/egress-feed-fetcher.js';
import { INVENTORY_CHANNEL } from './infra/inventory-channel.js';
import { InventoryStores } from './infra/inventory-stores.js';
import { LocalWatchedFolders } from './infra/local-watched-folders.js';
import { OrganizationLoader } from './infra/organization-loader.js';
import { PostgresPublishedExport } from './infra/postgres-published-export.js';
import { PostgresPublishedUnitReader } from './infra/postgres-published-unit-reader.js';
import { PostgresInventoryReader } from './infra/postgres-inventory-reader.js';
import { InventoryJobs } from './jobs/inventory-jobs.js';

const LISTENER = Symbol('InventoryListener');

/** Published inventory: feeds in, read models out. The stores behind it are shared by all use cases. */
@Module({
  imports: [AuditModule, TenancyModule],
  providers: [
    {
      provide: InventoryStores,
      inject: [POOL, TRANSACTIONAL_AUDIT, CLOCK, SETTINGS],
      useFactory: (pool: pg.Pool, audit: TransactionalAudit, clock: Clock, settings: Settings) =>
        new InventoryStores(pool, audit, clock, fileFolders(settings).feed_file),
    },
    {
      provide: ReceiveFeedFile,
      inject: [UNIT_OF_WORK, InventoryStores, JOB_QUEUE, DEALER_DIRECTORY, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        stores: InventoryStores,
        queue: JobQueue,
        directory: DealerDirectory,
        clock: Clock,
      ) => new ReceiveFeedFile(unitOfWork, stores, queue, directory, clock),
    },
    {
      provide: RunFeedImport,
      inject: [UNIT_OF_WORK, InventoryStores, DEALER_DIRECTORY],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores, directory: DealerDirectory) =>
        new RunFeedImport(unitOfWork, stores, new PublishRun(unitOfWork, stores.publication, stores.audit), directory),
    },
    {
      provide: ReleaseHeldRun,
      inject: [UNIT_OF_WORK, InventoryStores],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores) =>
        new ReleaseHeldRun(unitOfWork, stores.runs, stores.publication, stores.audit),
    },
    {
      provide: ApplyUnitEvent,
      inject: [UNIT_OF_WORK, InventoryStores, DEALER_DIRECTORY, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores, directory: DealerDirectory, clock: Clock) =>
        new ApplyUnitEvent(unitOfWork, stores, directory, clock),
    },
    {
      provide: ResumeOpenRuns,
      inject: [InventoryStores, JOB_QUEUE],
      useFactory: (stores: InventoryStores, queue: JobQueue) => new ResumeOpenRuns(stores.openRuns, queue),
    },
    {
      provide: CreateFeed,
      inject: [UNIT_OF_WORK, InventoryStores, DEALER_DIRECTORY],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores, directory: DealerDirectory) =>
        new CreateFeed(unitOfWork, stores.feeds, directory, stores.audit),
    },
    {
      provide: ChangeFeed,
      inject: [UNIT_OF_WORK, InventoryStores],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores) =>
        new ChangeFeed(unitOfWork, stores.feeds, stores.audit),
    },
    {
      provide: FeedReports,
      inject: [UNIT_OF_WORK, InventoryStores],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores) => new FeedReports(unitOfWork, stores),
    },
    {
      provide: TraceValue,
      inject: [UNIT_OF_WORK, InventoryStores],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores) => new TraceValue(unitOfWork, stores.published),
    },
    {
      provide: WithheldReport,
      inject: [UNIT_OF_WORK, InventoryStores],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores) => new WithheldReport(unitOfWork, stores.withheld),
    },
    {
      provide: INVENTORY_READER,
      inject: [POOL, DEALER_DIRECTORY, SETTINGS],
      useFactory: (pool: pg.Pool, directory: DealerDirectory, settings: Settings) =>
        new PostgresInventoryReader(
          new OrganizationLoader(pool, directory, settings.READ_MODEL_CACHE_BYTES),
          settings.READ_MODEL_ORGANIZATIONS,
          new Logger('Inventory'),
        ),
    },
    {
      provide: PUBLISHED_UNIT_READER,
      inject: [INVENTORY_READER, DEALER_DIRECTORY, POOL],
      useFactory: (reader: InventoryReader, directory: DealerDirectory, pool: pg.Pool) =>
        new PostgresPublishedUnitReader(reader, directory, pool),
    },
    {
      provide: ReviewDiscrepancy,
      inject: [UNIT_OF_WORK, PUBLISHED_UNIT_READER, InventoryStores, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, units: PublishedUnitReader, stores: InventoryStores, clock: Clock) =>
        new ReviewDiscrepancy(unitOfWork, units, stores, clock),
    },
    {
      provide: PUBLISHED_EXPORT,
      inject: [INVENTORY_READER, DEALER_DIRECTORY, POOL],
      useFactory: (reader: PostgresInventoryReader, directory: DealerDirectory, pool: pg.Pool) =>
        new PostgresPublishedExport(reader, directory, pool),
    },
    {
      provide: LISTENER,
      inject: [POOL_FACTORY, INVENTORY_READER],
      useFactory: (open: PoolFactory, reader: PostgresInventoryReader) =>
        new ChannelListener(
          open({ name: 'forecourt-listen', size: 1 }),
          INVENTORY_CHANNEL,
          (organizationId) => {
            reader.refresh(organizationId);
          },
          () => void reader.checkAll(),
        ),
    },
  ],
  exports: [
    InventoryStores,
    ChangeFeed,
    CreateFeed,
    FeedReports,
    TraceValue,
    WithheldReport,
    ReceiveFeedFile,
    RunFeedImport,
    ReleaseHeldRun,
    ApplyUnitEvent,
    ResumeOpenRuns,
    INVENTORY_READER,
    PUBLISHED_UNIT_READER,
    PUBLISHED_EXPORT,
    ReviewDiscrepancy,
  ],
})
export class InventoryModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(INVENTORY_READER) private readonly reader: PostgresInventoryReader,
    @Inject(LISTENER) private readonly listener: ChannelListener,
    @Inject(DEALER_CHANGES) private readonly dealers: DealerChanges,
  ) {}

  onApplicationBootstrap(): void {
    this.dealers.onChange((organizationId) => {
      this.reader.refresh(organizationId);
    });
    this.reader.start();
    this.listener.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.reader.stop();
    await this.listener.close();
  }
}

/** The admin API of the module. */
@Module({
  imports: [InventoryModule],
  controllers: [
    FeedsController,
    FeedRunsController,
    PublishedInventoryController,
    WithheldInventoryController,
    DiscrepanciesController,
  ],
})
export class InventoryAdminModule {}

const EGRESS = Symbol('EgressClient');
const jobsLogger = new Logger('Feeds');

/** The background work of the module, for processes that take jobs. */
@Module({
  imports: [InventoryModule],
  providers: [
    {
      provide: EGRESS,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new EgressClient(settings.EGRESS_ALLOWED_HOSTS),
    },
    {
      provide: PullFeed,
      inject: [UNIT_OF_WORK, InventoryStores, EGRESS, ReceiveFeedFile, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        stores: InventoryStores,
        egress: EgressClient,
        receiving: ReceiveFeedFile,
        clock: Clock,
      ) => new PullFeed(unitOfWork, stores.feeds, new EgressFeedFetcher(egress), receiving, clock),
    },
    {
      provide: ScheduleFetches,
      inject: [UNIT_OF_WORK, InventoryStores, JOB_QUEUE, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, stores: InventoryStores, queue: JobQueue, clock: Clock) =>
        new ScheduleFetches(unitOfWork, stores, queue, clock),
    },
    {
      provide: ScanWatchedFolders,
      inject: [SETTINGS, ReceiveFeedFile, CLOCK],
      useFactory: (settings: Settings, receiving: ReceiveFeedFile, clock: Clock) =>
        new ScanWatchedFolders(
          new LocalWatchedFolders(settings.FEED_WATCH_ROOT ?? join(settings.DATA_DIR, 'inbox'), clock),
          receiving,
        ),
    },
    {
      provide: InventoryJobs,
      inject: [QueueWorkers, RunFeedImport, PullFeed, ResumeOpenRuns, ScheduleFetches, ScanWatchedFolders],
      useFactory: (
        workers: QueueWorkers,
        importing: RunFeedImport,
        pulling: PullFeed,
        resuming: ResumeOpenRuns,
        scheduling: ScheduleFetches,
        scanning: ScanWatchedFolders,
      ) => new InventoryJobs(workers, { importing, pulling, resuming, scheduling, scanning }, jobsLogger),
    },
  ],
})
export class InventoryJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    @Inject(InventoryJobs) private readonly jobs: InventoryJobs,
    @Inject(EGRESS) private readonly egress: EgressClient,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
