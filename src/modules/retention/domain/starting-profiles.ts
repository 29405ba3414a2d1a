import { CREDIT_RULES, OFFER_RULES, OWN_RULES, US_RULES } from './us-dealer-rules.js';
import type { RetentionPolicyDocument, RuleDocument } from './policy-document.js';

/** A document to start a policy from. */
export interface StartingProfile {
  readonly profileId: string;
  readonly title: string;
  readonly description: string;
  /** When its citations were last read. */
  readonly asOf: string;
  readonly notice: string;
  readonly document: RetentionPolicyDocument;
}

/** When the citations were read. */
const AS_OF = '2026-11-30';
const NOTICE = 'A starting point, not legal advice: confirm every rule with counsel before it is activated.';

/** A profile of several groups of rules; a later group says what an earlier one said of the same id anew. */
function profile(
  profileId: string,
  title: string,
  description: string,
  ...groups: readonly (readonly RuleDocument[])[]
): StartingProfile {
  const rules = [...new Map(groups.flat().map((rule) => [rule.rule_id, rule])).values()].map((rule) => ({
    ...rule,
    as_of: AS_OF,
    counsel: 'to_confirm' as const,
  }));
  return { profileId, title, description, asOf: AS_OF, notice: NOTICE, document: { rules, rooftops: [] } };
}

/** The profiles that ship with the service, as data; none is active by itself. */
export const STARTING_PROFILES: readonly StartingProfile[] = [
  profile(
    'us.dealer',
    'Dealer group in the United States',
    'A ceiling for everything that is stored, and the federal and Californian floors on consents and privacy requests.',
    OWN_RULES,
    US_RULES,
  ),
  profile(
    'us.dealer.offers',
    'Dealer group that keeps its offers here',
    'As us.dealer, with floors on published offers and events of vehicles in California, Texas and Florida, for groups that have no other record of what was offered and sold.',
    OWN_RULES,
    US_RULES,
    OFFER_RULES,
  ),
  profile(
    'us.dealer.credit',
    'Dealer group whose leads carry credit applications',
    'As us.dealer, with the 25 months of Regulation B on leads. Better is not to store applications at all.',
    OWN_RULES,
    US_RULES,
    CREDIT_RULES,
  ),
];
