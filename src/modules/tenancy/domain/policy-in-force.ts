import { compileValidator } from '../../../kernel/schema/validator.js';
import type { PublishableProfile, WithheldField } from './dealer-policy.js';
import { BUILT_IN_POLICY, DealerPolicyDocument, PUBLISHABLE_PROFILES, termsAt } from './dealer-policy.js';
import type { RooftopSettings } from './rooftop-settings.js';

/** The policy of an organization that is in force: what was published last, or what is built in. */
export interface DealerPolicy {
  /** As audit records name it: `policy.3`, or `built-in.1` where none was ever published. */
  readonly version: string;
  /** 0 for the built-in one. */
  readonly number: number;
  readonly document: DealerPolicyDocument;
}

/** Version of the built-in policy: published retail is open to all, everything else needs a grant. */
export const BUILT_IN_POLICY_VERSION = 'built-in.1';

export const BUILT_IN: DealerPolicy = { version: BUILT_IN_POLICY_VERSION, number: 0, document: BUILT_IN_POLICY };

export const policyVersionName = (number: number): string =>
  number === 0 ? BUILT_IN_POLICY_VERSION : `policy.${number}`;

/**
 * A rooftop's settings as they are served: its own, made stricter by the policy in force. The optional members are there only
 * where the policy says something, so that settings under the built-in policy are exactly the rooftop's own.
 */
export interface ServedSettings extends RooftopSettings {
  /** Fields that do not leave and that nothing is found by; the inventory age is in `publish_inventory_age`, too. */
  readonly withheld_fields?: readonly WithheldField[];
  readonly vin_checksum?: 'quarantine';
  readonly price_conflict?: 'quarantine';
}

/** Policy only ever makes settings stricter. */
export function servedSettings(own: RooftopSettings, policy: DealerPolicy, rooftopId: string): ServedSettings {
  const terms = termsAt(policy.document, rooftopId);
  const { freshness_ceiling_seconds: ceiling, withheld_fields: withheld } = terms;
  const { inventory, availability, pricing } = own.freshness_sla_seconds;
  return {
    ...own,
    freshness_sla_seconds: {
      inventory: Math.min(inventory, ceiling.inventory ?? inventory),
      availability: Math.min(availability, ceiling.availability ?? availability),
      pricing: Math.min(pricing, ceiling.pricing ?? pricing),
    },
    publish_inventory_age: own.publish_inventory_age && !withheld.includes('inventory_age'),
    ...(withheld.length === 0 ? {} : { withheld_fields: withheld }),
    ...(terms.vin_checksum === 'quarantine' ? { vin_checksum: 'quarantine' } : {}),
    ...(terms.price_conflict === 'quarantine' ? { price_conflict: 'quarantine' } : {}),
  };
}

/** Whether the organization shows a profile without a grant. One that no policy decides about is never shown so. */
export function isPublicProfile({ document }: DealerPolicy, profile: string): boolean {
  return isPublishable(profile) && document.public_profiles.includes(profile);
}

/** Rooftops at which a profile needs a grant although the organization shows it elsewhere. */
export function rooftopsNeedingGrant({ document }: DealerPolicy, profile: string): readonly string[] {
  if (!isPublishable(profile)) return [];
  return Object.keys(document.rooftops).filter((id) => !termsAt(document, id).public_profiles.includes(profile));
}

const isPublishable = (profile: string): profile is PublishableProfile =>
  (PUBLISHABLE_PROFILES as readonly string[]).includes(profile);

const problemsOf = compileValidator(DealerPolicyDocument);

/**
 * Reads a stored policy. Overrides of rooftops that are gone say nothing any more and do no harm.
 * @throws Error when the stored value is none: it was checked when it was published.
 */
export function readDealerPolicy(number: number, stored: unknown): DealerPolicy {
  const problems = problemsOf(stored);
  if (problems.length > 0)
    throw new Error(
      `stored policy ${number} does not match its schema at ${problems.map((p) => p.pointer).join(', ')}`,
    );
  return { version: policyVersionName(number), number, document: stored as DealerPolicyDocument };
}
