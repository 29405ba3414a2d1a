import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { PolicyVersions } from '../app/policy-versions.js';
import type { DealerPolicy } from '../domain/policy-in-force.js';
import { BUILT_IN, readDealerPolicy } from '../domain/policy-in-force.js';

const MAX_KEPT = 10_000;

/**
 * The policies in force: each is loaded whole and validated, and the last good one is kept. A stored policy that cannot be
 * read never opens what the one before it had closed: that one stays in force, and the log says so.
 */
export class PoliciesInForce {
  private readonly lastGood = new Map<string, DealerPolicy>();

  constructor(
    private readonly versions: Pick<PolicyVersions, 'current'>,
    private readonly log: { error(message: string): void },
  ) {}

  /** @throws Error for a policy that cannot be read where none was in force before: nothing is served without one. */
  async load(tx: TenantTransaction): Promise<DealerPolicy> {
    const { organizationId } = tx;
    const stored = await this.versions.current(tx);
    const known = this.lastGood.get(organizationId);
    if (stored === undefined) return BUILT_IN;
    if (known?.number === stored.version) return known;
    try {
      const policy = readDealerPolicy(stored.version, stored.document);
      if (this.lastGood.size >= MAX_KEPT) this.lastGood.clear();
      this.lastGood.set(organizationId, policy);
      return policy;
    } catch (error) {
      if (known === undefined) throw error;
      this.log.error(`${organizationId}: ${String(error)}; ${known.version} stays in force`);
      return known;
    }
  }
}
