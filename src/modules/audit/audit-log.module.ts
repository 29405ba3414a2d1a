import { BeforeApplicationShutdown, Inject, Logger, Module, OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { Ticker } from '../../platform/ticker.js';
import { AuditHealthModule } from './audit-health.module.js';
import { AuditKeys } from './app/audit-keys.js';
import { ExportAuditLog } from './app/export-audit-log.js';
import { PublishCheckpoints } from './app/publish-checkpoints.js';
import { VerifyAuditLog } from './app/verify-audit-log.js';
import { signCheckpoint } from './domain/log/checkpoint.js';
import { PostgresAuditLog } from './infra/postgres-audit-log.js';
import { PostgresExportedEntries } from './infra/postgres-exported-entries.js';
import { ExportHeaders } from './app/exports/export-headers.js';
import { HeldRows } from './app/exports/held-rows.js';
import { PostgresAuditLogReader } from './infra/postgres-audit-log-reader.js';
import { PostgresClockOffset } from './infra/postgres-clock-offset.js';
import type { SigningKey } from './app/signing-key.js';
import { readAuditKeys } from './infra/read-audit-keys.js';
import { readSigningKey } from './infra/signing-key.js';

export const SIGNING_KEY = Symbol('SigningKey');
/** A record is covered by a signature about this long after its commit. */
const INTERVAL_MS = 1000;
/** A record has its number about this long after its commit: the look for new ones takes under a millisecond. */
const NUMBERING_MS = 250;
const HEARTBEAT_MS = 60_000;

/** The numbered and signed form of the trail: VerifyAuditLog checks it, AuditLogJobsModule keeps it going. */
@Module({
  imports: [AuditHealthModule],
  providers: [
    { provide: SIGNING_KEY, inject: [SETTINGS], useFactory: (settings: Settings) => readSigningKey(settings) },
    {
      provide: AuditKeys,
      inject: [SETTINGS],
      useFactory: readAuditKeys,
    },
    {
      provide: PublishCheckpoints,
      inject: [POOL, SIGNING_KEY, PostgresClockOffset, SETTINGS],
      useFactory: (pool: pg.Pool, key: SigningKey | undefined, clockOffset: PostgresClockOffset, settings: Settings) =>
        new PublishCheckpoints(
          new PostgresAuditLog(pool),
          key === undefined ? undefined : (checkpoint) => signCheckpoint(checkpoint, key.privateKey, key.publicKey),
          { gatewayId: settings.GATEWAY_ID, heartbeatMs: HEARTBEAT_MS, clockOffset },
        ),
    },
    {
      provide: ExportAuditLog,
      inject: [POOL, SETTINGS],
      useFactory: (pool: pg.Pool, settings: Settings) => exportAuditLog(pool, settings.GATEWAY_ID),
    },
    {
      provide: VerifyAuditLog,
      inject: [POOL, AuditKeys, SETTINGS],
      useFactory: (pool: pg.Pool, keys: AuditKeys, settings: Settings) =>
        new VerifyAuditLog(
          new PostgresAuditLogReader(pool),
          (note, origin) => keys.open(note, origin),
          settings.GATEWAY_ID,
        ),
    },
  ],
  exports: [PublishCheckpoints, VerifyAuditLog, ExportAuditLog, AuditKeys, SIGNING_KEY],
})
export class AuditLogModule {}

function exportAuditLog(pool: pg.Pool, gatewayId: string): ExportAuditLog {
  const [log, entries] = [new PostgresAuditLog(pool), new PostgresExportedEntries(pool)];
  const headers = new ExportHeaders(log, entries, gatewayId);
  return new ExportAuditLog(headers, new HeldRows(log, entries), new PostgresAuditLogReader(pool));
}

/** Numbers four times a second and signs every second. Any number of processes may run it. */
@Module({ imports: [AuditLogModule] })
export class AuditLogJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tickers: readonly Ticker[];

  constructor(@Inject(PublishCheckpoints) publishing: PublishCheckpoints) {
    const log = new Logger('Audit');
    this.tickers = [
      new Ticker('number audit records', NUMBERING_MS, () => publishing.number(), log),
      new Ticker('publish audit checkpoints', INTERVAL_MS, () => publishing.run(), log),
    ];
  }

  onApplicationBootstrap(): void {
    for (const ticker of this.tickers) ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
  }
}
