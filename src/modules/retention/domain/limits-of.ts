import type { RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { ClockBasis, RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import { couldApply } from './places.js';
import type { Period, RetentionRule, RooftopTightening, RulesInForce } from './retention-policy.js';

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

/** What the rules of a category come to. */
export interface CategoryTerms {
  /** All of them count from it. */
  readonly clock: ClockBasis;
  /** How it ends: deletion, where a rule says so. */
  readonly end: RetentionAction;
  /** What is done to it before. */
  readonly steps: readonly RetentionAction[];
}

/** @returns undefined when the policy says nothing about the category. */
export function termsOf({ policy }: RulesInForce, category: RetentionCategory): CategoryTerms | undefined {
  const own = policy.rules.filter((rule) => rule.category === category);
  const [first] = own;
  if (first === undefined) return undefined;
  const actions = [...new Set(own.map(({ action }) => action))];
  const end = endOf(policy.rules, category);
  return { clock: first.clock, end, steps: actions.filter((action) => action !== end) };
}

/** How records of a category end: deletion, unless its rules name another action alone. */
export function endOf(rules: readonly RetentionRule[], category: RetentionCategory): RetentionAction {
  const actions = rules.filter((rule) => rule.category === category).map(({ action }) => action);
  return actions.includes('delete') ? 'delete' : (actions[0] ?? 'delete');
}

/** Limits of records of no rooftop for one action. */
export function standardLimits(rules: RulesInForce, category: RetentionCategory, action: RetentionAction): Limits {
  return limitsIn(rules, category, action, { place: rules.home, own: [] });
}

/** Limits of records whose rooftops are not known: everything that any rooftop could be under. */
export function unknownLimits(rules: RulesInForce, category: RetentionCategory, action: RetentionAction): Limits {
  return limitsIn(rules, category, action, { place: rules.home, own: tightenings(rules, category) });
}

/** Limits of records of one rooftop. */
export function rooftopLimits(
  rules: RulesInForce,
  category: RetentionCategory,
  action: RetentionAction,
  rooftopId: string,
): Limits {
  const place = rules.jurisdictions.get(rooftopId);
  if (place === undefined) return standardLimits(rules, category, action);
  const own = tightenings(rules, category).filter((tightening) => tightening.rooftopId === rooftopId);
  return limitsIn(rules, category, action, { place, own });
}

/** Every limit of an action that counts for a record, by its rooftops. Null: not known. */
export function limitsOf(
  rules: RulesInForce,
  category: RetentionCategory,
  action: RetentionAction,
  rooftops: readonly string[] | null,
): readonly Limits[] {
  if (rooftops === null) return [unknownLimits(rules, category, action)];
  if (rooftops.length === 0) return [standardLimits(rules, category, action)];
  return rooftops.map((rooftopId) => rooftopLimits(rules, category, action, rooftopId));
}

const tightenings = ({ policy }: RulesInForce, category: RetentionCategory): readonly RooftopTightening[] =>
  policy.rooftops.filter((tightening) => tightening.category === category);

/** A floor keeps a record as it is, whatever action is due; a ceiling is of its rule's action, and a rooftop's of the end. */
function limitsIn(
  rules: RulesInForce,
  category: RetentionCategory,
  action: RetentionAction,
  { place, own }: { readonly place: string; readonly own: readonly RooftopTightening[] },
): Limits {
  const end = endOf(rules.policy.rules, category);
  const said = [
    ...rules.policy.rules
      .filter((rule) => rule.category === category && couldApply(rule.jurisdiction, place))
      .map((rule) => ({ ...rule, rooftopId: null })),
    ...own.map((tightening) => ({ ...tightening, action: end, ruleId: tighteningId(tightening) })),
  ];
  const limits = (side: 'floor' | 'ceiling', of: typeof said): readonly Limit[] =>
    of.flatMap(({ ruleId, rooftopId, [side]: period }) => (period === null ? [] : [{ ruleId, rooftopId, period }]));
  return {
    floors: limits('floor', said),
    ceilings: limits(
      'ceiling',
      said.filter((one) => one.action === action),
    ),
  };
}

/** How reasons name what a rooftop decided for itself. */
export const tighteningId = ({ rooftopId, category }: RooftopTightening): string => `rooftop/${rooftopId}/${category}`;
