import type { ReplayOutcome } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { PlainEntry } from '../domain/replay-batches.js';

/** Port: what the database does again by itself. */
export interface EntryReplay {
  /**
   * In a transaction of the entries' organization, in their order. Doing them twice changes nothing.
   * @returns what each of them did
   */
  replay(tx: TenantTransaction, entries: readonly PlainEntry[]): Promise<readonly ReplayOutcome[]>;
}
