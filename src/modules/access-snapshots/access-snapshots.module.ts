import { join } from 'node:path';
import {
  type BeforeApplicationShutdown,
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type pg from 'pg';
import { CONSISTENT_READS, type ConsistentReads } from '../../kernel/ports/consistent-reads.js';
import { DATABASE_PRESENCE, type DatabasePresence } from '../../kernel/ports/database-presence.js';
import { REVOCATIONS } from '../../kernel/ports/revocations.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { ChannelListener } from '../../platform/database/channel-listener.js';
import { POOL, POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { Ticker } from '../../platform/ticker.js';
import { AccessSnapshots } from './app/access-snapshots.js';
import { KnownRevocations } from './app/known-revocations.js';
import { SnapshotSections } from './app/snapshot-section.js';
import { StatusController } from './http/status.controller.js';
import { LocalAccessFiles } from './infra/local-access-files.js';
import {
  ACCESS_CHANNEL,
  PostgresRevocationSource,
  readAnnouncement,
  REVOCATION_CHANNEL,
} from './infra/postgres-revocation-source.js';
import { PostgresSnapshotSource } from './infra/postgres-snapshot-source.js';

// Ages must not jump with the clock of the machine; an earlier process's times are still comparable.
const STEADY_CLOCK: Clock = { now: () => performance.timeOrigin + performance.now() };
const EVERY_MS = 1000;
const STATEMENT_MS = 1000;
const REVOCATIONS_POOL = Symbol('RevocationsPool');
const LISTENERS = Symbol('AccessListeners');
const logger = new Logger('Access');

async function openFiles(settings: Settings): Promise<LocalAccessFiles> {
  const { current, previous } = await readSecrets(settings);
  const older = previous === null ? [] : [deriveKey(previous, 'access-snapshot')];
  return new LocalAccessFiles(
    join(settings.DATA_DIR, 'access'),
    [deriveKey(current, 'access-snapshot'), ...older],
    (problem) => {
      logger.error(problem);
    },
  );
}

/** Each channel has a connection of its own, so that a flood of changes does not hold up a revocation. */
function openListeners(
  open: PoolFactory,
  snapshots: AccessSnapshots,
  known: KnownRevocations,
): readonly ChannelListener[] {
  const catchUp = (): void => void known.catchUp().catch(() => undefined); // the poll tries again
  return [
    new ChannelListener(
      open({ name: 'forecourt-listen-revocations', size: 1 }),
      REVOCATION_CHANNEL,
      (payload) => {
        const revocation = readAnnouncement(payload);
        if (revocation === undefined) catchUp();
        else known.apply([revocation]);
      },
      catchUp,
    ),
    new ChannelListener(
      open({ name: 'forecourt-listen-access', size: 1 }),
      ACCESS_CHANNEL,
      (organizationId) => void snapshots.refresh(organizationId),
      () => void snapshots.confirm().catch(() => undefined),
    ),
  ];
}

/** What is known by heart of who may come in, and what was revoked. Modules register their sections with SnapshotSections. */
@Global()
@Module({
  providers: [
    SnapshotSections,
    { provide: LocalAccessFiles, inject: [SETTINGS], useFactory: openFiles },
    {
      provide: REVOCATIONS_POOL,
      inject: [POOL_FACTORY],
      useFactory: (open: PoolFactory) => open({ name: 'forecourt-revocations', size: 1, statementMs: STATEMENT_MS }),
    },
    {
      provide: AccessSnapshots,
      inject: [SnapshotSections, POOL, CONSISTENT_READS, LocalAccessFiles, SETTINGS],
      useFactory: (
        sections: SnapshotSections,
        pool: pg.Pool,
        reads: ConsistentReads,
        files: LocalAccessFiles,
        settings: Settings,
      ) =>
        new AccessSnapshots(
          sections,
          new PostgresSnapshotSource(pool, reads),
          files,
          {
            organizations: settings.ACCESS_ORGANIZATIONS,
            maxAgeMs: settings.ACCESS_MAX_AGE_SECONDS * 1000,
          },
          STEADY_CLOCK,
          logger,
        ),
    },
    {
      provide: KnownRevocations,
      inject: [REVOCATIONS_POOL, LocalAccessFiles, CLOCK],
      useFactory: (pool: pg.Pool, files: LocalAccessFiles, clock: Clock) =>
        new KnownRevocations(new PostgresRevocationSource(pool, clock), files, clock, logger),
    },
    { provide: REVOCATIONS, useExisting: KnownRevocations },
    { provide: LISTENERS, inject: [POOL_FACTORY, AccessSnapshots, KnownRevocations], useFactory: openListeners },
  ],
  exports: [SnapshotSections, AccessSnapshots, KnownRevocations, REVOCATIONS],
})
export class AccessSnapshotsModule
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly tickers: readonly Ticker[];

  constructor(
    @Inject(AccessSnapshots) private readonly snapshots: AccessSnapshots,
    @Inject(KnownRevocations) private readonly known: KnownRevocations,
    @Inject(DATABASE_PRESENCE) presence: DatabasePresence,
    @Inject(LISTENERS) private readonly listeners: readonly ChannelListener[],
    @Inject(REVOCATIONS_POOL) private readonly pool: pg.Pool,
  ) {
    const whileThere = (work: () => Promise<void>) => () => (presence.away ? Promise.resolve() : work());
    this.tickers = [
      new Ticker(
        'read revocations',
        EVERY_MS,
        whileThere(() => known.catchUp()),
        logger,
      ),
      new Ticker(
        'confirm access snapshots',
        EVERY_MS,
        whileThere(() => snapshots.confirm()),
        logger,
      ),
    ];
  }

  /** Before anything is answered: a process that starts anew refuses what was revoked before. */
  async onModuleInit(): Promise<void> {
    await this.known.restore();
    await this.known.catchUp();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.snapshots.restore();
    for (const listener of this.listeners) listener.start();
    for (const ticker of this.tickers) ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
    await this.snapshots.settle();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.close()));
    await this.known.saved();
    await this.pool.end();
  }
}

/** The admin API of the module. */
@Module({ imports: [AccessSnapshotsModule], controllers: [StatusController] })
export class AccessSnapshotsAdminModule {}
