import type { JournalEntry, ReplayOutcome } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** Port: what the database does again by itself. */
export interface EntryReplay {
  /** In a transaction of the entry's organization. Doing it twice changes nothing. Erasures are not its business. */
  replay(tx: TenantTransaction, entry: Exclude<JournalEntry, { kind: 'erasure' }>): Promise<ReplayOutcome>;
}
