import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { commonPlace } from '../domain/places.js';
import { rulesOf, tighteningsOf } from '../domain/policy-document.js';
import type { RulesInForce } from '../domain/retention-policy.js';
import type { RetentionRules } from './retention-rules.js';
import type { RetentionVersionStore } from './retention-version-store.js';
import type { RooftopPlaces } from './rooftop-places.js';

/** The active version with the places that it is applied to. */
export class ReadRulesInForce implements RetentionRules {
  constructor(
    private readonly versions: Pick<RetentionVersionStore, 'active'>,
    private readonly places: RooftopPlaces,
  ) {}

  async inForce(tx: TenantTransaction): Promise<RulesInForce | undefined> {
    const active = await this.versions.active(tx);
    if (active === undefined) return undefined;
    const policy = { ...active, rules: rulesOf(active.document), rooftops: tighteningsOf(active.document) };
    const jurisdictions = await this.places.of(tx);
    return { policy, jurisdictions, home: commonPlace([...jurisdictions.values()]) };
  }
}
