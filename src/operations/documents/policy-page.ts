import { COMPLETENESS_FORMULA } from '../../modules/pricing/index.js';
import type { RetentionPolicyVersion } from '../../modules/retention/index.js';
import type { DealerGroup } from '../../modules/tenancy/index.js';
import { termsAt } from '../../modules/tenancy/index.js';
import type { PolicyStatement } from './policy-statements.js';
import { COMMON_STATEMENTS, offeredStatements, retentionStatement } from './policy-statements.js';
import type { CategoryCeiling, PublishedPolicy } from './retention-ceilings.js';
import { publishedPolicy, retentionCeilings } from './retention-ceilings.js';

export const POLICY_ID = 'forecourt.published-retail';
/** Raised with every change of what the page says beside the settings of a group. */
const POLICY_VERSION = '4';

export interface PolicyPage {
  readonly policy_id: typeof POLICY_ID;
  readonly version: string;
  readonly organization_id: string;
  readonly statements: readonly PolicyStatement[];
  readonly completeness_formula: typeof COMPLETENESS_FORMULA;
  /** The retention policy that is active; null: none is, and nothing is deleted by age. */
  readonly retention_policy: PublishedPolicy | null;
  readonly retention: readonly CategoryCeiling[];
  readonly freshness_sla_seconds: Readonly<Record<string, unknown>>;
  /** Rooftops that publish days in stock; the others withhold them. */
  readonly inventory_age_published: Readonly<Record<string, boolean>>;
  /** What the dealer published over the admin API, or what is built in. */
  readonly dealer_policy: {
    readonly version: string;
    readonly public_profiles: readonly string[];
    readonly purposes: readonly string[];
    /** Rooftops at which fewer profiles are public, with those that are. */
    readonly public_profiles_at: Readonly<Record<string, readonly string[]>>;
    /** Rooftops that withhold fields, with those fields. */
    readonly withheld_fields_at: Readonly<Record<string, readonly string[]>>;
  };
}

/**
 * The versioned policy of an organization: what is enforced today and what is not (security profile §6).
 * @param profiles those that the organization offers.
 * @param retention the active version of its retention policy; undefined while there is none.
 */
export function policyPage(
  group: DealerGroup,
  profiles: readonly string[],
  retention: RetentionPolicyVersion | undefined,
): PolicyPage {
  const { rooftops } = group;
  return {
    policy_id: POLICY_ID,
    version: POLICY_VERSION,
    organization_id: group.organizationId,
    statements: [...COMMON_STATEMENTS, retentionStatement(retention !== undefined), ...offeredStatements(profiles)],
    completeness_formula: COMPLETENESS_FORMULA,
    retention_policy: publishedPolicy(retention),
    retention: retentionCeilings(retention),
    freshness_sla_seconds: Object.fromEntries(rooftops.map((r) => [r.rooftopId, r.settings.freshness_sla_seconds])),
    inventory_age_published: Object.fromEntries(rooftops.map((r) => [r.rooftopId, r.settings.publish_inventory_age])),
    dealer_policy: dealerPolicyOf(group),
  };
}

function dealerPolicyOf({ policy, rooftops }: DealerGroup): PolicyPage['dealer_policy'] {
  const { version, document } = policy;
  const terms = rooftops.map(({ rooftopId }) => [rooftopId, termsAt(document, rooftopId)] as const);
  const stricter = terms.filter(([, at]) => at.public_profiles.length < document.public_profiles.length);
  const withholding = terms.filter(([, at]) => at.withheld_fields.length > 0);
  return {
    version,
    public_profiles: document.public_profiles,
    purposes: document.purposes,
    public_profiles_at: Object.fromEntries(stricter.map(([id, at]) => [id, at.public_profiles])),
    withheld_fields_at: Object.fromEntries(withholding.map(([id, at]) => [id, at.withheld_fields])),
  };
}
