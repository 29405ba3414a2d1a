import type { JournalledRevocation } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

export interface OwedRevocation {
  readonly organizationId: string;
  readonly owedId: string;
  readonly revocation: JournalledRevocation;
}

/** Port: revocations that took effect and are not in the journal yet. */
export interface OwedRevocations {
  owe(tx: TenantTransaction, owedId: string, revocation: JournalledRevocation): Promise<void>;
  /** The oldest ones, of all organizations. */
  oldest(limit: number): Promise<readonly OwedRevocation[]>;
  /** @returns false when another process was quicker */
  settle(tx: TenantTransaction, owedId: string): Promise<boolean>;
}
