import type pg from 'pg';
import type { Clock } from '../../../kernel/time.js';
import type { TransactionalAudit } from '../../audit/index.js';
import { LocalContentStore } from '../../../platform/files/local-content-store.js';
import { PostgresDiscrepancyReviews } from './postgres-discrepancy-reviews.js';
import { PostgresImportStaging } from './postgres-import-staging.js';
import { PostgresPublishedUnits } from './postgres-published-units.js';
import { PostgresPublicationStore } from './postgres-publication-store.js';
import { PostgresOpenFeedRuns, PrismaFeedRunStore } from './prisma-feed-run-store.js';
import { PostgresFetchingFeeds, PrismaFeedStore } from './prisma-feed-store.js';
import { PrismaUnitEventStore } from './prisma-unit-event-store.js';
import { PostgresWithheldUnits } from './postgres-withheld-units.js';
import { TransactionalChangeAudit } from './transactional-change-audit.js';

/** Every store of the module, each made once. */
export class InventoryStores {
  readonly feeds = new PrismaFeedStore();
  readonly runs = new PrismaFeedRunStore();
  readonly events = new PrismaUnitEventStore();
  readonly published = new PostgresPublishedUnits();
  readonly publication = new PostgresPublicationStore();
  readonly withheld = new PostgresWithheldUnits();
  readonly reviews = new PostgresDiscrepancyReviews();
  readonly files: LocalContentStore;
  readonly staging: PostgresImportStaging;
  readonly openRuns: PostgresOpenFeedRuns;
  readonly fetchingFeeds: PostgresFetchingFeeds;
  readonly audit: TransactionalChangeAudit;

  constructor(pool: pg.Pool, audit: TransactionalAudit, clock: Clock, filesDir: string) {
    this.files = new LocalContentStore(filesDir);
    this.staging = new PostgresImportStaging(pool);
    this.openRuns = new PostgresOpenFeedRuns(pool);
    this.fetchingFeeds = new PostgresFetchingFeeds(pool);
    this.audit = new TransactionalChangeAudit(audit, clock);
  }
}
