import { Inject, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { CheckJournal } from './app/check-journal.js';
import { ReplayJournal } from './app/replay-journal.js';
import { refusalOf } from './app/restore-refusal.js';
import { RestoreJournalModule } from './restore-journal.module.js';

const logger = new Logger('Restore');

/** Keeps a process from opening on a database that has forgotten what the journal holds. Not for commands, which repair it. */
@Module({ imports: [RestoreJournalModule] })
export class RestoreGateModule implements OnModuleInit {
  constructor(
    @Inject(CheckJournal) private readonly check: CheckJournal,
    @Inject(ReplayJournal) private readonly replay: ReplayJournal,
  ) {}

  /** Before anything listens and any job runs. @throws RestoreRefusal */
  async onModuleInit(): Promise<void> {
    const found = await this.check.run();
    const refusal = refusalOf(found);
    if (refusal !== undefined) throw refusal;
    if (found.unconfigured)
      logger.warn(
        'RESTORE_JOURNAL_DIR is not set: holds and erasures are refused, and revocations are owed to a journal',
      );
    if (found.unsettled.length === 0) return;
    // A process died, or a transaction was rolled back, after its entry was written: done again, to the same effect.
    const { outcomes } = await this.replay.run({ dryRun: false });
    logger.warn(
      `the end of the restore journal was not in the database and was done again: ${JSON.stringify(outcomes)}`,
    );
  }
}
