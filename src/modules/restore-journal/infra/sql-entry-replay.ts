import type { ReplayOutcome } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { EntryReplay } from '../app/replay-entry.js';
import type { PlainEntry } from '../domain/replay-batches.js';

/** By the functions of migrations 25 and 43: one statement, however many entries. */
export class SqlEntryReplay implements EntryReplay {
  async replay(tx: TenantTransaction, entries: readonly PlainEntry[]): Promise<readonly ReplayOutcome[]> {
    const [row] = await prismaOf(tx).$queryRaw<{ outcomes: ReplayOutcome[] }[]>`
      SELECT replay_entries(${JSON.stringify(entries)}::jsonb) AS outcomes`;
    if (row?.outcomes.length !== entries.length) throw new Error('the database did not say what replaying did');
    return row.outcomes;
  }
}
