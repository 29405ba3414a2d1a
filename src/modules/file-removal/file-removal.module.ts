import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { fileFolders } from '../../platform/files/file-folders.js';
import { LocalContentStore } from '../../platform/files/local-content-store.js';
import { Ticker } from '../../platform/ticker.js';
import { RemoveFiles } from './app/remove-files.js';
import { ShowFileRemovals } from './app/show-file-removals.js';
import { SweepExportFiles } from './app/sweep-export-files.js';
import { FileRemovalsController } from './http/file-removals.controller.js';
import { SqlFileRemovals } from './infra/sql-file-removals.js';

const REMOVALS = {
  provide: SqlFileRemovals,
  inject: [POOL],
  useFactory: (pool: pg.Pool) => new SqlFileRemovals(pool),
};

/** How removals go, for compliance staff. */
@Module({
  controllers: [FileRemovalsController],
  providers: [
    REMOVALS,
    {
      provide: ShowFileRemovals,
      inject: [UNIT_OF_WORK, SqlFileRemovals],
      useFactory: (unitOfWork: UnitOfWork, removals: SqlFileRemovals) => new ShowFileRemovals(unitOfWork, removals),
    },
  ],
})
export class FileRemovalAdminModule {}

const PAUSE_MS = 15_000;
const SWEEP_MS = 3_600_000;

/** Removes files of records that are gone. Any number of processes may run it. */
@Module({
  providers: [
    REMOVALS,
    {
      provide: RemoveFiles,
      inject: [UNIT_OF_WORK, SqlFileRemovals, SETTINGS],
      useFactory: (unitOfWork: UnitOfWork, removals: SqlFileRemovals, settings: Settings) => {
        const folders = fileFolders(settings);
        return new RemoveFiles(unitOfWork, removals, {
          feed_file: new LocalContentStore(folders.feed_file),
          audit_export: new LocalContentStore(folders.audit_export),
          privacy_file: new LocalContentStore(folders.privacy_file),
        });
      },
    },
    {
      provide: SweepExportFiles,
      inject: [UNIT_OF_WORK, SqlFileRemovals, SETTINGS],
      useFactory: (unitOfWork: UnitOfWork, removals: SqlFileRemovals, settings: Settings) =>
        new SweepExportFiles(unitOfWork, removals, new LocalContentStore(fileFolders(settings).audit_export)),
    },
  ],
})
export class FileRemovalJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tickers: readonly Ticker[];

  constructor(@Inject(RemoveFiles) removing: RemoveFiles, @Inject(SweepExportFiles) sweeping: SweepExportFiles) {
    const log = new Logger('FileRemoval');
    this.tickers = [
      new Ticker('remove files', PAUSE_MS, () => untilDone(removing), log),
      new Ticker('sweep files of exports', SWEEP_MS, () => sweeping.run().then(() => undefined), log),
    ];
  }

  onApplicationBootstrap(): void {
    for (const ticker of this.tickers) ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
  }
}

async function untilDone(removing: RemoveFiles): Promise<void> {
  while ((await removing.run()) > 0);
}
