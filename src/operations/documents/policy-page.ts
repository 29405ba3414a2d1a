import { COMPLETENESS_FORMULA } from '../../modules/pricing/index.js';
import type { DealerGroup } from '../../modules/tenancy/index.js';
import { termsAt } from '../../modules/tenancy/index.js';
import type { PolicyStatement } from './policy-statements.js';
import { COMMON_STATEMENTS, offeredStatements } from './policy-statements.js';

export const POLICY_ID = 'forecourt.published-retail';
/** Raised with every change of what the page says beside the settings of a group. */
const POLICY_VERSION = '3';

/** What is kept of one kind, for how long at most, and whether something removes it then. */
export interface RetentionCategory {
  readonly category: string;
  readonly ceiling: string;
  readonly deletion: 'nothing is kept' | 'not yet automatic';
}

export interface PolicyPage {
  readonly policy_id: typeof POLICY_ID;
  readonly version: string;
  readonly organization_id: string;
  readonly statements: readonly PolicyStatement[];
  readonly completeness_formula: typeof COMPLETENESS_FORMULA;
  readonly retention: readonly RetentionCategory[];
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

const RETENTION: readonly RetentionCategory[] = [
  { category: 'customer_data', ceiling: 'none', deletion: 'nothing is kept' },
  { category: 'search_text', ceiling: 'none', deletion: 'nothing is kept' },
  { category: 'network_address', ceiling: 'a minute in memory, for limits', deletion: 'nothing is kept' },
  { category: 'audit_event', ceiling: '7 years', deletion: 'not yet automatic' },
  { category: 'feed_file', ceiling: '90 days after it stopped being served', deletion: 'not yet automatic' },
  { category: 'superseded_snapshot', ceiling: '30 days', deletion: 'not yet automatic' },
  { category: 'quarantined_row', ceiling: '90 days', deletion: 'not yet automatic' },
  { category: 'configuration', ceiling: '7 years after it was replaced', deletion: 'not yet automatic' },
];

/**
 * The versioned policy of an organization: what is enforced today and what is not (security profile §6).
 * @param profiles those that the organization offers.
 */
export function policyPage(group: DealerGroup, profiles: readonly string[]): PolicyPage {
  const { rooftops } = group;
  return {
    policy_id: POLICY_ID,
    version: POLICY_VERSION,
    organization_id: group.organizationId,
    statements: [...COMMON_STATEMENTS, ...offeredStatements(profiles)],
    completeness_formula: COMPLETENESS_FORMULA,
    retention: RETENTION,
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
