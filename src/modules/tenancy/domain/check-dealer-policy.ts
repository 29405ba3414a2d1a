import type { Violation } from '../../../kernel/failure/violation.js';
import { compileValidator } from '../../../kernel/schema/validator.js';
import type { PolicyTerms, RooftopOverride } from './dealer-policy.js';
import { DealerPolicyDocument } from './dealer-policy.js';

/** A policy document that was checked, or every violation of it at once, without values. */
export type CheckedDealerPolicy =
  { readonly document: DealerPolicyDocument } | { readonly violations: readonly Violation[] };

const problemsOfDocument = compileValidator(DealerPolicyDocument);

/**
 * Checks a whole policy document: its schema; that each override is of a rooftop of the organization; and that an override
 * only makes stricter what the organization says.
 * @param rooftopIds those of the organization.
 */
export function checkDealerPolicy(document: unknown, rooftopIds: readonly string[]): CheckedDealerPolicy {
  const problems = problemsOfDocument(document);
  if (problems.length > 0) return { violations: problems };
  const policy = document as DealerPolicyDocument;
  const violations = Object.entries(policy.rooftops).flatMap(([rooftopId, own]) => {
    const at = `/rooftops/${rooftopId}`;
    if (!rooftopIds.includes(rooftopId))
      return [{ pointer: at, keyword: 'enum', explanation: 'is not a rooftop of the organization' }];
    return looserMembers(policy, own).map((member) => looser(`${at}/${member}`));
  });
  return violations.length === 0 ? { document: policy } : { violations };
}

/** Members in which an override allows more than the organization. */
function looserMembers(terms: PolicyTerms, own: RooftopOverride): readonly string[] {
  const adds = (all: readonly string[], some: readonly string[] | undefined): boolean =>
    some?.some((value) => !all.includes(value)) === true;
  const drops = (all: readonly string[], some: readonly string[] | undefined): boolean =>
    some !== undefined && all.some((value) => !some.includes(value));
  return [
    ...(adds(terms.public_profiles, own.public_profiles) ? ['public_profiles'] : []),
    ...(drops(terms.withheld_fields, own.withheld_fields) ? ['withheld_fields'] : []),
    ...(terms.vin_checksum === 'quarantine' && own.vin_checksum === 'by_feed' ? ['vin_checksum'] : []),
    ...(terms.price_conflict === 'quarantine' && own.price_conflict === 'by_format' ? ['price_conflict'] : []),
    ...longerCeilings(terms, own),
    ...(adds(terms.purposes, own.purposes) ? ['purposes'] : []),
  ];
}

function longerCeilings(terms: PolicyTerms, { freshness_ceiling_seconds: own = {} }: RooftopOverride): string[] {
  return (['inventory', 'availability', 'pricing'] as const).flatMap((fact) => {
    const [ceiling, seconds] = [terms.freshness_ceiling_seconds[fact], own[fact]];
    const longer = ceiling !== undefined && seconds !== undefined && seconds > ceiling;
    return longer ? [`freshness_ceiling_seconds/${fact}`] : [];
  });
}

const looser = (pointer: string): Violation => ({
  pointer,
  keyword: 'const',
  explanation: 'allows more than the organization does',
});
