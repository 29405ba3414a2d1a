import { Inject, Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type pg from 'pg';
import {
  ERASURE_REPLAY,
  type ErasureReplay,
  HOLD_COUNTING,
  type HoldCounting,
  RESTORE_JOURNAL,
  REVOCATION_JOURNAL,
} from '../../kernel/ports/restore-journal.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { Ticker } from '../../platform/ticker.js';
import {
  AuditKeys,
  AuditLogModule,
  AuditModule,
  TRANSACTIONAL_AUDIT,
  type TransactionalAudit,
} from '../audit/index.js';
import { AcceptLoss } from './app/accept-loss.js';
import { CheckJournal } from './app/check-journal.js';
import { CheckStatements } from './app/check-statements.js';
import { JournalRevocations } from './app/journal-revocations.js';
import type { JournalStorage } from './app/journal-storage.js';
import { PerformReplay } from './app/perform-replay.js';
import { ReplayJournal } from './app/replay-journal.js';
import { WriteJournal } from './app/write-journal.js';
import { journalFolderOf, type JournalKeys, readJournalKeys } from './infra/journal-keys.js';
import { LocalJournalFolder } from './infra/local-journal-folder.js';
import { PostgresAuditHorizon } from './infra/postgres-audit-horizon.js';
import { PostgresJournalMarks } from './infra/postgres-journal-marks.js';
import { PrismaOwedRevocations } from './infra/prisma-owed-revocations.js';
import { SqlEntryReplay } from './infra/sql-entry-replay.js';
import { StatementFolder } from './infra/statement-folder.js';

const CONFIRM_EVERY_MS = 2000;
const SETTLE_EVERY_MS = 5000;
const JOURNAL_POOL = Symbol('JournalPool');
const JOURNAL_PARTS = Symbol('JournalParts');
const logger = new Logger('RestoreJournal');

/** What every use case of the module works on. */
interface JournalParts {
  readonly storage: JournalStorage | undefined;
  readonly keys: JournalKeys;
  readonly marks: PostgresJournalMarks;
  readonly clock: Clock;
}

async function openParts(settings: Settings, pool: pg.Pool, clock: Clock): Promise<JournalParts> {
  const folder = journalFolderOf(settings);
  const storage =
    folder === undefined ? undefined : new LocalJournalFolder(folder, settings.FORECOURT_PROFILE === 'local');
  return { storage, keys: await readJournalKeys(settings), marks: new PostgresJournalMarks(pool), clock };
}

/** Who erases and who counts holds write to the journal themselves: they are found when it is replayed, and not before. */
function found(container: ModuleRef, token: symbol): unknown {
  try {
    return container.get<unknown>(token, { strict: false });
  } catch {
    return undefined;
  }
}

/** The journal outside the database: written by the changes that must survive a restore, and replayed after one. */
@Module({
  imports: [AuditLogModule, AuditModule],
  providers: [
    {
      provide: JOURNAL_POOL,
      inject: [POOL_FACTORY],
      useFactory: (open: PoolFactory) => open({ name: 'forecourt-journal', size: 1 }),
    },
    { provide: JOURNAL_PARTS, inject: [SETTINGS, JOURNAL_POOL, CLOCK], useFactory: openParts },
    { provide: WriteJournal, inject: [JOURNAL_PARTS], useFactory: (parts: JournalParts) => new WriteJournal(parts) },
    { provide: RESTORE_JOURNAL, useExisting: WriteJournal },
    {
      provide: JournalRevocations,
      inject: [WriteJournal, JOURNAL_POOL, UNIT_OF_WORK],
      useFactory: (journal: WriteJournal, pool: pg.Pool, unitOfWork: UnitOfWork) =>
        new JournalRevocations({ journal, owed: new PrismaOwedRevocations(pool), unitOfWork, log: logger }),
    },
    { provide: REVOCATION_JOURNAL, useExisting: JournalRevocations },
    {
      provide: CheckJournal,
      inject: [JOURNAL_PARTS, JOURNAL_POOL, AuditKeys, SETTINGS],
      useFactory: ({ storage, marks }: JournalParts, pool: pg.Pool, keys: AuditKeys, settings: Settings) => {
        const kept = new StatementFolder(settings.RESTORE_STATEMENTS_DIR);
        const statements = new CheckStatements(storage, kept, (note) => keys.openAny(note));
        return new CheckJournal(storage, marks, new PostgresAuditHorizon(pool), statements);
      },
    },
    {
      provide: ReplayJournal,
      inject: [JOURNAL_PARTS, JOURNAL_POOL, CheckJournal, UNIT_OF_WORK, TRANSACTIONAL_AUDIT, ModuleRef],
      useFactory: (
        parts: JournalParts,
        pool: pg.Pool,
        check: CheckJournal,
        unitOfWork: UnitOfWork,
        audit: TransactionalAudit,
        container: ModuleRef,
      ) =>
        new ReplayJournal({
          ...parts,
          check,
          unitOfWork,
          audit,
          horizon: new PostgresAuditHorizon(pool),
          performing: new PerformReplay({
            ...parts,
            unitOfWork,
            audit,
            entries: new SqlEntryReplay(),
            erasures: () => found(container, ERASURE_REPLAY) as ErasureReplay | undefined,
            countHolds: async () => (found(container, HOLD_COUNTING) as HoldCounting | undefined)?.countAll(),
          }),
        }),
    },
    {
      provide: AcceptLoss,
      inject: [JOURNAL_PARTS, CheckJournal, UNIT_OF_WORK, TRANSACTIONAL_AUDIT],
      useFactory: (parts: JournalParts, check: CheckJournal, unitOfWork: UnitOfWork, audit: TransactionalAudit) =>
        new AcceptLoss({ ...parts, check, unitOfWork, audit }),
    },
  ],
  exports: [RESTORE_JOURNAL, REVOCATION_JOURNAL, CheckJournal, ReplayJournal, AcceptLoss],
})
export class RestoreJournalModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly tickers: readonly Ticker[];

  constructor(
    @Inject(WriteJournal) private readonly journal: WriteJournal,
    @Inject(JournalRevocations) revocations: JournalRevocations,
    @Inject(JOURNAL_POOL) private readonly pool: pg.Pool,
  ) {
    this.tickers = [
      new Ticker('confirm releases', CONFIRM_EVERY_MS, () => journal.confirmReleases(), logger),
      new Ticker('write owed revocations', SETTLE_EVERY_MS, () => revocations.settle(), logger),
    ];
  }

  onApplicationBootstrap(): void {
    for (const ticker of this.tickers) ticker.start();
  }

  /** Last phase of the shutdown: open requests have been answered, so nothing new is written. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
    await this.journal.confirmReleases().catch(() => undefined); // then they are released once more after a restore
    await this.journal.close();
    await this.pool.end();
  }
}
