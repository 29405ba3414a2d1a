import { join } from 'node:path';
import {
  type BeforeApplicationShutdown,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type pg from 'pg';
import { AUDIT_RECORDER } from '../../kernel/ports/audit-recorder.js';
import { DATABASE_PRESENCE, type DatabasePresence } from '../../kernel/ports/database-presence.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL, POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { Ticker } from '../../platform/ticker.js';
import { TRANSACTIONAL_AUDIT } from './app/transactional-audit.js';
import { AUDIT_CONNECTIONS, GroupCommitAuditRecorder } from './infra/group-commit-audit-recorder.js';
import { NoncePool } from './infra/nonce-pool.js';
import { PrismaTransactionalAudit } from './infra/prisma-transactional-audit.js';
import { AuditSpool } from './infra/spool/audit-spool.js';
import { DrainSpool } from './infra/spool/drain-spool.js';
import { SpoolFolder } from './infra/spool/spool-folder.js';

const DAY_MS = 86_400_000;
// Together the time after which a waiting caller learns that the audit store is away: about two seconds.
const CONNECT_MS = 1000;
const STATEMENT_MS = 1800;
const DRAIN_EVERY_MS = 1000;

const spoolLog = new Logger('AuditSpool');

function makeSpool(pool: pg.Pool, presence: DatabasePresence, settings: Settings): AuditSpool {
  const drain = new DrainSpool(pool, (spool, from, to, keptAs) => {
    spoolLog.error(
      `bytes ${from} to ${to} of ${spool.path} are no audit record that can be kept: set aside as ${keptAs}`,
    );
  });
  const folder = new SpoolFolder(join(settings.DATA_DIR, 'audit-spool'));
  return new AuditSpool(folder, drain, presence, settings.AUDIT_SPOOL_BYTES, spoolLog);
}

/** The audit trail: AUDIT_RECORDER for calls, TRANSACTIONAL_AUDIT for changes. */
@Module({
  providers: [
    NoncePool,
    { provide: AuditSpool, inject: [POOL, DATABASE_PRESENCE, SETTINGS], useFactory: makeSpool },
    {
      provide: AUDIT_RECORDER,
      inject: [POOL_FACTORY, NoncePool, DATABASE_PRESENCE, AuditSpool, SETTINGS],
      useFactory: (
        open: PoolFactory,
        nonces: NoncePool,
        presence: DatabasePresence,
        spool: AuditSpool,
        settings: Settings,
      ) =>
        new GroupCommitAuditRecorder(
          open({ name: 'forecourt-audit', size: AUDIT_CONNECTIONS, waitMs: CONNECT_MS, statementMs: STATEMENT_MS }),
          nonces,
          { presence, spool: settings.AUDIT_WHEN_AWAY === 'spool' ? spool : undefined },
        ),
    },
    {
      provide: TRANSACTIONAL_AUDIT,
      inject: [NoncePool],
      useFactory: (nonces: NoncePool) => new PrismaTransactionalAudit(nonces),
    },
  ],
  exports: [AUDIT_RECORDER, TRANSACTIONAL_AUDIT],
})
export class AuditModule implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(AuditModule.name);
  private timer: NodeJS.Timeout | undefined;

  private readonly draining: Ticker;

  constructor(
    @Inject(AUDIT_RECORDER) private readonly recorder: GroupCommitAuditRecorder,
    @Inject(AuditSpool) private readonly spool: AuditSpool,
  ) {
    this.draining = new Ticker('drain the audit spool', DRAIN_EVERY_MS, () => spool.drain(), spoolLog);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.maintain();
    this.draining.start();
    this.timer = setInterval(() => void this.maintain(), DAY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.draining.stop();
  }

  /** Last phase of the shutdown: open requests have been answered, so nothing new is recorded. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.recorder.close();
    await this.spool.close();
  }

  // A missed run is made good by the next one, or by the recorder itself when a month has no partition.
  private async maintain(): Promise<void> {
    await this.recorder.maintain().catch((error: unknown) => {
      this.logger.warn(`the audit partitions could not be prepared: ${String(error)}`);
    });
  }
}
