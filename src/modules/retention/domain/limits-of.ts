import type { RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { ClockBasis, RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import { couldApply } from './places.js';
import type { Period, RooftopTightening, RulesInForce } from './retention-policy.js';

/** A floor or a ceiling, and who says it. */
export interface Limit {
  readonly ruleId: string;
  /** The rooftop that decided it for itself; null for a rule of the policy. */
  readonly rooftopId: string | null;
  readonly period: Period;
}

export interface Limits {
  readonly floors: readonly Limit[];
  readonly ceilings: readonly Limit[];
}

/** What all rules of a category share. */
export interface CategoryTerms {
  readonly clock: ClockBasis;
  readonly action: RetentionAction;
}

/** @returns undefined when the policy says nothing about the category. */
export function termsOf({ policy }: RulesInForce, category: RetentionCategory): CategoryTerms | undefined {
  return policy.rules.find((rule) => rule.category === category);
}

/** Limits of records of no rooftop. */
export function standardLimits(rules: RulesInForce, category: RetentionCategory): Limits {
  return limitsIn(rules, category, rules.home, []);
}

/** Limits of records whose rooftops are not known: everything that any rooftop could be under. */
export function unknownLimits(rules: RulesInForce, category: RetentionCategory): Limits {
  return limitsIn(rules, category, rules.home, tightenings(rules, category));
}

/** Limits of records of one rooftop. */
export function rooftopLimits(rules: RulesInForce, category: RetentionCategory, rooftopId: string): Limits {
  const place = rules.jurisdictions.get(rooftopId);
  if (place === undefined) return standardLimits(rules, category);
  const own = tightenings(rules, category).filter((tightening) => tightening.rooftopId === rooftopId);
  return limitsIn(rules, category, place, own);
}

/** Every limit that counts for a record, by its rooftops. Null: not known. */
export function limitsOf(
  rules: RulesInForce,
  category: RetentionCategory,
  rooftops: readonly string[] | null,
): readonly Limits[] {
  if (rooftops === null) return [unknownLimits(rules, category)];
  if (rooftops.length === 0) return [standardLimits(rules, category)];
  return rooftops.map((rooftopId) => rooftopLimits(rules, category, rooftopId));
}

const tightenings = ({ policy }: RulesInForce, category: RetentionCategory): readonly RooftopTightening[] =>
  policy.rooftops.filter((tightening) => tightening.category === category);

function limitsIn(
  { policy }: RulesInForce,
  category: RetentionCategory,
  place: string,
  own: readonly RooftopTightening[],
): Limits {
  const said = [
    ...policy.rules
      .filter((rule) => rule.category === category && couldApply(rule.jurisdiction, place))
      .map((rule) => ({ ...rule, rooftopId: null })),
    ...own.map((tightening) => ({ ...tightening, ruleId: tighteningId(tightening) })),
  ];
  const limits = (side: 'floor' | 'ceiling'): readonly Limit[] =>
    said.flatMap(({ ruleId, rooftopId, [side]: period }) => (period === null ? [] : [{ ruleId, rooftopId, period }]));
  return { floors: limits('floor'), ceilings: limits('ceiling') };
}

/** How reasons name what a rooftop decided for itself. */
export const tighteningId = ({ rooftopId, category }: RooftopTightening): string => `rooftop/${rooftopId}/${category}`;
