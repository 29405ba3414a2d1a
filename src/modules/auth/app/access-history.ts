import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AccessFact } from '../domain/access-fact.js';

/** Port: everything of one organization that ever let somebody in, from what is never changed and from the times of ends. */
export interface AccessHistory {
  /** @param begunBy milliseconds: what began later is left out */
  facts(tx: TenantTransaction, begunBy: number): Promise<readonly AccessFact[]>;
}
