import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { JobPayload, JobQueue, QueueName } from '../../src/kernel/ports/queue.js';
import { SystemClock, type Clock } from '../../src/kernel/time.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import type { NewFeed } from '../../src/modules/inventory/app/feed-store.js';
import type { ChangeOrigin } from '../../src/modules/inventory/app/change-audit.js';
import { ApplyUnitEvent } from '../../src/modules/inventory/app/apply-unit-event.js';
import { PublishRun } from '../../src/modules/inventory/app/publish-run.js';
import { ReceiveFeedFile, type Receipt } from '../../src/modules/inventory/app/receive-feed-file.js';
import { ReleaseHeldRun } from '../../src/modules/inventory/app/release-held-run.js';
import { RunFeedImport, type ImportOutcome } from '../../src/modules/inventory/app/run-feed-import.js';
import { InventoryStores } from '../../src/modules/inventory/infra/inventory-stores.js';
import { OrganizationLoader } from '../../src/modules/inventory/infra/organization-loader.js';
import { PostgresInventoryReader } from '../../src/modules/inventory/infra/postgres-inventory-reader.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/app/create-dealer-group.js';
import { PrismaDealerDirectory, PrismaDealerGroupStore } from '../../src/modules/tenancy/infra/prisma-dealer-groups.js';
import { readRooftopSettings } from '../../src/modules/tenancy/domain/rooftop-settings.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { policiesInForce } from './policies-in-force.js';

export const ORGANIZATION = 'org.example';
export const ROOFTOPS = ['roof.north', 'roof.south'] as const;
export const STAFF: ChangeOrigin = {
  requestId: 'req_TEST',
  traceId: 'trc_TEST',
  surface: 'admin',
  actorKind: 'key',
  actor: 'key.admin',
};

/** A queue that only notes what was added. */
export class RecordingQueue implements JobQueue {
  readonly added: { queue: QueueName; key: string; payload: JobPayload }[] = [];

  add(queue: QueueName, key: string, payload: JobPayload): Promise<void> {
    this.added.push({ queue, key, payload });
    return Promise.resolve();
  }
}

/** The real parts of the feed pipeline on a database of their own, without the Nest container. */
export class FeedWorld {
  readonly queue = new RecordingQueue();
  readonly stores: InventoryStores;
  readonly directory: PrismaDealerDirectory;
  readonly receiving: ReceiveFeedFile;
  readonly importing: RunFeedImport;
  readonly releasing: ReleaseHeldRun;
  readonly events: ApplyUnitEvent;
  readonly reader: PostgresInventoryReader;

  private constructor(
    readonly database: TestDatabase,
    readonly pool: pg.Pool,
    readonly admin: pg.Pool,
    readonly unitOfWork: PrismaUnitOfWork,
    readonly filesDir: string,
    readonly clock: Clock,
  ) {
    this.stores = new InventoryStores(pool, new PrismaTransactionalAudit(new NoncePool()), clock, filesDir);
    this.directory = new PrismaDealerDirectory(unitOfWork, pool, clock, undefined, policiesInForce());
    this.receiving = new ReceiveFeedFile(unitOfWork, this.stores, this.queue, this.directory, clock);
    const publisher = new PublishRun(unitOfWork, this.stores.publication, this.stores.audit);
    this.importing = new RunFeedImport(unitOfWork, this.stores, publisher, this.directory);
    this.releasing = new ReleaseHeldRun(unitOfWork, this.stores.runs, this.stores.publication, this.stores.audit);
    this.events = new ApplyUnitEvent(unitOfWork, this.stores, this.directory, clock);
    this.reader = new PostgresInventoryReader(new OrganizationLoader(pool, this.directory, 1_048_576), 4, {
      log: () => undefined,
      warn: () => undefined,
    });
  }

  static async open(clock: Clock = new SystemClock()): Promise<FeedWorld> {
    const database = await createTestDatabase();
    const pool = openPool({ url: database.appUrl, size: 8, waitMs: 5000, name: 'test', onError: () => undefined });
    const admin = new pg.Pool({
      connectionString: database.adminUrl,
      max: 2,
      options: '-c search_path=forecourt -c timezone=UTC',
    });
    admin.on('error', () => undefined);
    const filesDir = await mkdtemp(join(tmpdir(), 'forecourt-files-'));
    const world = new FeedWorld(database, pool, admin, new PrismaUnitOfWork(pool, 5000), filesDir, clock);
    await world.createGroup(ORGANIZATION);
    return world;
  }

  async close(): Promise<void> {
    await this.unitOfWork.close();
    await this.pool.end().catch(() => undefined);
    await this.admin.end();
    await rm(this.filesDir, { recursive: true, force: true });
    await this.database.drop();
  }

  async createGroup(organizationId: string, rooftopIds: readonly string[] = ROOFTOPS): Promise<void> {
    const create = new CreateDealerGroup(this.unitOfWork, new PrismaDealerGroupStore());
    await create.run({
      organizationId,
      name: 'Example Motors',
      legalName: null,
      website: null,
      rooftops: rooftopIds.map((rooftopId) => ({
        rooftopId,
        name: `Example Motors ${rooftopId}`,
        legalName: null,
        website: null,
        address: {
          lines: ['1 Main Street'],
          locality: 'Springfield',
          region: 'IL',
          postal_code: '62701',
          country: 'US',
        },
        timezone: 'America/Chicago',
        currency: 'USD',
        departments: ['sales' as const],
        contacts: [],
        hours: [],
        languages: ['en'],
        settings: readRooftopSettings({}),
      })),
    });
  }

  async createFeed(feedId: string, feed: Partial<NewFeed> = {}, organizationId = ORGANIZATION): Promise<void> {
    await this.unitOfWork.withTenant(organizationId, (tx) =>
      this.stores.feeds.insert(tx, {
        feedId,
        name: `Feed ${feedId}`,
        profile: 'vauto',
        rooftops: { kind: 'single', rooftopId: ROOFTOPS[0] },
        settings: { currency: 'USD', timeZone: 'America/Chicago', odometerUnit: 'mi' },
        source: { kind: 'upload' },
        ...feed,
      }),
    );
  }

  receive(feedId: string, content: string, more: { organizationId?: string; force?: boolean } = {}): Promise<Receipt> {
    const { organizationId = ORGANIZATION, force = false } = more;
    return this.receiving.run(
      { organizationId, feedId, name: 'feed.csv', origin: 'upload', chunks: chunked(content), force },
      STAFF,
    );
  }

  /** Works on a run as a worker would. */
  work(runId: string, organizationId = ORGANIZATION): Promise<ImportOutcome> {
    return this.importing.run(organizationId, runId, {
      signal: new AbortController().signal,
      progress: () => undefined,
    });
  }

  /** Receives a file and brings it to its end. */
  async import(
    feedId: string,
    content: string,
    more: { organizationId?: string; force?: boolean } = {},
  ): Promise<{ runId: string; outcome: ImportOutcome }> {
    const { runId } = await this.receive(feedId, content, more);
    return { runId, outcome: await this.work(runId, more.organizationId) };
  }

  async query<T extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.admin.query<T>(sql, [...values])).rows;
  }

  /** VINs that the served snapshots offer, in order. */
  async servedVins(rooftopId?: string): Promise<string[]> {
    const rows = await this.query<{ vin: string }>(
      `SELECT u.vin FROM rooftop_inventory i JOIN units u ON u.snapshot_id = i.snapshot_id
       WHERE u.withheld IS NULL AND ($1::text IS NULL OR i.rooftop_id = $1) ORDER BY u.vin`,
      [rooftopId ?? null],
    );
    return rows.map((row) => row.vin);
  }
}

/** Content in small pieces, as a network delivers it. */
export async function* chunked(content: string, size = 7000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content, 'utf8');
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}
