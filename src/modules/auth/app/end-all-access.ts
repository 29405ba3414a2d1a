import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** Port: ends whatever of one organization still opens something. What has ended already stays as it was. */
export interface EndAllAccess {
  /**
   * Keys, grants, group delegations, agent clients and trusted issuers of the transaction's organization.
   * @param at milliseconds
   */
  run(tx: TenantTransaction, at: number): Promise<void>;
}

export const END_ALL_ACCESS = Symbol('EndAllAccess');
