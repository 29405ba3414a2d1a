import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RulesInForce } from '../domain/retention-policy.js';

/** Port: the retention policy of an organization that is active now. */
export interface RetentionRules {
  /** Read inside the transaction that acts on it. @returns undefined while none is active: then nothing may be deleted. */
  inForce(tx: TenantTransaction): Promise<RulesInForce | undefined>;
}

export const RETENTION_RULES = Symbol('RetentionRules');
