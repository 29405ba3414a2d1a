import type { JournalEntry, ReplayOutcome } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { EntryReplay } from '../app/replay-entry.js';

/** By the functions of migration 20261130000025_restore_journal. */
export class SqlEntryReplay implements EntryReplay {
  async replay(tx: TenantTransaction, entry: Exclude<JournalEntry, { kind: 'erasure' }>): Promise<ReplayOutcome> {
    const prisma = prismaOf(tx);
    const content = JSON.stringify(entry.content);
    const [row] = await (entry.kind === 'hold.placed'
      ? prisma.$queryRaw<Row[]>`SELECT replay_hold(${entry.holdId}, ${content}::jsonb) AS outcome`
      : entry.kind === 'hold.released'
        ? prisma.$queryRaw<Row[]>`SELECT replay_release(${entry.holdId}, ${content}::jsonb) AS outcome`
        : prisma.$queryRaw<
            Row[]
          >`SELECT replay_revocation(${entry.content.what}, ${entry.content.id}, ${entry.content.revokedAt}::timestamptz) AS outcome`);
    if (row === undefined) throw new Error('the database did not say what replaying did');
    return row.outcome;
  }
}

interface Row {
  readonly outcome: ReplayOutcome;
}
