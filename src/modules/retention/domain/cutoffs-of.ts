import type { CategoryCutoffs, Cutoff } from '../../../kernel/retention/category-cutoffs.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { RetainedRecord } from './decide.js';
import { limitsOf, rooftopLimits, standardLimits, termsOf, unknownLimits, type Limits } from './limits-of.js';
import { lastBeginning } from './period.js';
import type { RulesInForce } from './retention-policy.js';

/** The decision about every action for every record of every category that has a rule, at one moment. @param at milliseconds */
export function cutoffsOf(rules: RulesInForce, at: number): readonly CategoryCutoffs[] {
  const categories = [...new Set(rules.policy.rules.map(({ category }) => category))];
  return categories.flatMap((category) => {
    const { clock, end, steps } = termsOf(rules, category) ?? lacking(category);
    return [end, ...steps].map((action) => categoryCutoffs(rules, { category, clock, action }, at));
  });
}

/**
 * Whether it is time for the action of these cutoffs, holds, erasure requests and what is in use aside: what a run asks in SQL, in
 * TypeScript.
 */
export function isOver({ category, clocks, rooftops, steps }: RetainedRecord, cutoffs: CategoryCutoffs): boolean {
  const begun = clocks[cutoffs.clock] ?? null;
  if (category !== cutoffs.category || begun === null) return false;
  if (cutoffs.action !== 'delete' && steps?.[cutoffs.action]?.left !== true) return false;
  const own = cutoffsFor(cutoffs, rooftops);
  return (
    own.every(({ floorBefore }) => floorBefore === null || begun <= floorBefore) &&
    own.some(({ ceilingBefore }) => ceilingBefore !== null && begun <= ceilingBefore)
  );
}

function cutoffsFor(
  { standard, unknown, rooftops }: CategoryCutoffs,
  own: readonly string[] | null,
): readonly Cutoff[] {
  if (own === null) return [unknown];
  if (own.length === 0) return [standard];
  return own.map((rooftopId) => rooftops.find((candidate) => candidate.rooftopId === rooftopId) ?? standard);
}

function categoryCutoffs(
  rules: RulesInForce,
  { category, clock, action }: Pick<CategoryCutoffs, 'category' | 'clock' | 'action'>,
  at: number,
): CategoryCutoffs {
  const rooftopIds = [...rules.jurisdictions.keys()];
  const limits = [null, [], rooftopIds].flatMap((own) => limitsOf(rules, category, action, own));
  const ruleIds = new Set(
    limits.flatMap(({ floors, ceilings }) => [...floors, ...ceilings]).map(({ ruleId }) => ruleId),
  );
  return {
    category,
    clock,
    action,
    standard: cutoff(standardLimits(rules, category, action), at),
    unknown: cutoff(unknownLimits(rules, category, action), at),
    rooftops: rooftopIds.map((rooftopId) => ({
      rooftopId,
      ...cutoff(rooftopLimits(rules, category, action, rooftopId), at),
    })),
    ruleIds: [...ruleIds].toSorted(),
  };
}

function lacking(category: RetentionCategory): never {
  throw new Error(`no rule for ${category}`);
}

/** The longest floor lets only the oldest go, the shortest ceiling takes the youngest. */
function cutoff({ floors, ceilings }: Limits, at: number): Cutoff {
  const before = floors.map(({ period }) => lastBeginning(at, period));
  const after = ceilings.map(({ period }) => lastBeginning(at, period));
  return {
    floorBefore: before.length === 0 ? null : Math.min(...before),
    ceilingBefore: after.length === 0 ? null : Math.max(...after),
  };
}
