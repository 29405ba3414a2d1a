import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';

/** Port: notes in a transaction that a statement has arrived. */
export interface DeliveredStatements {
  mark(tx: TenantTransaction, targetId: string, day: string, at: number): Promise<void>;
}
