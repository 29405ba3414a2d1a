import type { Violation } from '../../../kernel/failure/violation.js';
import { compileValidator } from '../../../kernel/schema/validator.js';
import { CATEGORY_CATALOGUE } from './category-catalogue.js';
import { ACTIONS_NOT_CARRIED_OUT } from './category-storage.js';
import { mayExceed } from './compare-periods.js';
import { endOf } from './limits-of.js';
import { lies } from './places.js';
import { RetentionPolicyDocument, rulesOf, tighteningsOf } from './policy-document.js';
import type { Period, RetentionRule, RooftopTightening } from './retention-policy.js';

/** The form of a document; undefined when there is nothing to complain about. Enough for a draft. */
export const formViolations = compileValidator(RetentionPolicyDocument);

/**
 * Everything for which activation refuses a document of the right form: rules of a category that count from different clocks,
 * or from one that its records do not have; actions that nothing carries out, or two beside deletion; a floor above a ceiling wherever
 * both apply, whatever its action; rooftops that loosen instead of tighten.
 * @param places where each rooftop of the organization is
 */
export function policyViolations(
  document: RetentionPolicyDocument,
  places: ReadonlyMap<string, string>,
): readonly Violation[] {
  const [rules, rooftops] = [rulesOf(document), tighteningsOf(document)];
  return [
    ...(rules.length === 0 ? [violation('/rules', 'minItems', 'a policy has at least one rule')] : []),
    ...rules.flatMap((rule, i) => ruleViolations(rule, `/rules/${i}`, rules.slice(0, i))),
    ...conflicts(rules, places),
    ...rooftops.flatMap((own, i) => tighteningViolations(own, `/rooftops/${i}`, rooftops.slice(0, i), rules, places)),
  ];
}

const violation = (pointer: string, keyword: string, explanation: string): Violation => ({
  pointer,
  keyword,
  explanation,
});

function ruleViolations(rule: RetentionRule, at: string, earlier: readonly RetentionRule[]): readonly Violation[] {
  const siblings = earlier.filter(({ category }) => category === rule.category);
  const { isStored, clocks, actions } = CATEGORY_CATALOGUE[rule.category];
  const problems: [boolean, string, string, string][] = [
    [earlier.some(({ ruleId }) => ruleId === rule.ruleId), 'rule_id', 'uniqueItems', 'another rule has this id'],
    [rule.floor === null && rule.ceiling === null, '', 'anyOf', 'has neither floor nor ceiling'],
    [isStored && !clocks.includes(rule.clock), 'clock', 'enum', 'records of the category do not have this clock'],
    [siblings.some(({ clock }) => clock !== rule.clock), 'clock', 'const', 'differs within the category'],
    [
      rule.action !== 'delete' && siblings.some(({ action }) => action !== 'delete' && action !== rule.action),
      'action',
      'const',
      'is the second one besides delete within the category',
    ],
    // What nothing carries out is never published as a ceiling.
    [isStored && !actions.includes(rule.action), 'action', 'enum', ACTIONS_NOT_CARRIED_OUT[rule.action]],
  ];
  return problems
    .filter(([found]) => found)
    .map(([, member, keyword, explanation]) => violation(member === '' ? at : `${at}/${member}`, keyword, explanation));
}

/** Floors above ceilings, at every place that rules or rooftops name. */
function conflicts(rules: readonly RetentionRule[], places: ReadonlyMap<string, string>): readonly Violation[] {
  const everywhere = [...new Set([...rules.map(({ jurisdiction }) => jurisdiction), ...places.values()])];
  return rules.flatMap(({ category, floor, jurisdiction }, i) => {
    const here = everywhere.filter((place) => lies(place, jurisdiction));
    const together = rules.filter(
      (other) => other.category === category && here.some((place) => lies(place, other.jurisdiction)),
    );
    return floor !== null && together.some(({ ceiling }) => above(floor, ceiling))
      ? [violation(`/rules/${i}/floor`, 'maximum', 'is above a ceiling that applies with it')]
      : [];
  });
}

function tighteningViolations(
  own: RooftopTightening,
  at: string,
  earlier: readonly RooftopTightening[],
  rules: readonly RetentionRule[],
  places: ReadonlyMap<string, string>,
): readonly Violation[] {
  const place = places.get(own.rooftopId);
  if (place === undefined) return [violation(`${at}/rooftop_id`, 'enum', 'is not a rooftop of the organization')];
  const published = rules.filter(
    ({ category, jurisdiction }) => category === own.category && lies(place, jurisdiction),
  );
  const end = endOf(rules, own.category);
  const again = earlier.some(({ rooftopId, category }) => rooftopId === own.rooftopId && category === own.category);
  const ceilings = [own.ceiling, ...published.map(({ ceiling }) => ceiling)];
  const floors = [own.floor, ...published.map(({ floor }) => floor)];
  const problems: [boolean, string, string, string][] = [
    [again, '', 'uniqueItems', 'the rooftop has said something about this category before'],
    [published.length === 0, 'category', 'enum', 'no rule of the policy speaks of the category at this rooftop'],
    [own.floor === null && own.ceiling === null, '', 'anyOf', 'has neither floor nor ceiling'],
    [
      published.some(({ action, ceiling }) => action === end && above(own.ceiling, ceiling)),
      'ceiling',
      'maximum',
      'is above the published one',
    ],
    [published.some(({ floor }) => above(floor, own.floor)), 'floor', 'minimum', 'is below the published one'],
    [
      floors.some((floor) => ceilings.some((ceiling) => above(floor, ceiling))),
      '',
      'not',
      'leaves a floor above a ceiling',
    ],
  ];
  return problems
    .filter(([found]) => found)
    .map(([, member, keyword, explanation]) => violation(member === '' ? at : `${at}/${member}`, keyword, explanation));
}

/** What says nothing is above nothing, and nothing is above it. */
const above = (one: Period | null, other: Period | null): boolean =>
  one !== null && other !== null && mayExceed(one, other);
