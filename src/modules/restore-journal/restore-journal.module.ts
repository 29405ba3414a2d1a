import { Inject, Logger, Module, type OnApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { RESTORE_JOURNAL } from '../../kernel/ports/restore-journal.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { Ticker } from '../../platform/ticker.js';
import type { JournalStorage } from './app/journal-storage.js';
import { WriteJournal } from './app/write-journal.js';
import type { JournalKeys } from './infra/journal-keys.js';
import { journalFolderOf, readJournalKeys } from './infra/journal-keys.js';
import { LocalJournalFolder } from './infra/local-journal-folder.js';
import { PostgresJournalMarks } from './infra/postgres-journal-marks.js';

const CONFIRM_EVERY_MS = 2000;
const STATEMENT_MS = 2000;
const JOURNAL_POOL = Symbol('JournalPool');
const JOURNAL_KEYS = Symbol('JournalKeys');
const JOURNAL_STORAGE = Symbol('JournalStorage');
const logger = new Logger('RestoreJournal');

function openStorage(settings: Settings): JournalStorage | undefined {
  const folder = journalFolderOf(settings);
  return folder === undefined ? undefined : new LocalJournalFolder(folder, settings.FORECOURT_PROFILE === 'local');
}

/** The journal outside the database: RESTORE_JOURNAL for the changes that must survive a restore. */
@Module({
  providers: [
    { provide: JOURNAL_KEYS, inject: [SETTINGS], useFactory: readJournalKeys },
    { provide: JOURNAL_STORAGE, inject: [SETTINGS], useFactory: openStorage },
    {
      provide: JOURNAL_POOL,
      inject: [POOL_FACTORY],
      useFactory: (open: PoolFactory) => open({ name: 'forecourt-journal', size: 1, statementMs: STATEMENT_MS }),
    },
    {
      provide: PostgresJournalMarks,
      inject: [JOURNAL_POOL],
      useFactory: (pool: pg.Pool) => new PostgresJournalMarks(pool),
    },
    {
      provide: WriteJournal,
      inject: [JOURNAL_STORAGE, JOURNAL_KEYS, PostgresJournalMarks, CLOCK],
      useFactory: (storage: JournalStorage | undefined, keys: JournalKeys, marks: PostgresJournalMarks, clock: Clock) =>
        new WriteJournal({ storage, keys, marks, clock }),
    },
    { provide: RESTORE_JOURNAL, useExisting: WriteJournal },
  ],
  exports: [RESTORE_JOURNAL],
})
export class RestoreJournalModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly confirming: Ticker;

  constructor(
    @Inject(WriteJournal) private readonly journal: WriteJournal,
    @Inject(JOURNAL_POOL) private readonly pool: pg.Pool,
  ) {
    this.confirming = new Ticker('confirm releases', CONFIRM_EVERY_MS, () => journal.confirmReleases(), logger);
  }

  onApplicationBootstrap(): void {
    this.confirming.start();
  }

  /** Last phase of the shutdown: open requests have been answered, so nothing new is written. */
  async onApplicationShutdown(): Promise<void> {
    await this.confirming.stop();
    await this.journal.confirmReleases().catch(() => undefined); // then they are released once more after a restore
    await this.journal.close();
    await this.pool.end();
  }
}
