import { canonicalJson } from '../../../kernel/canonical-json.js';
import type { RetentionPolicyDocument } from './policy-document.js';

/** A rule, or what a rooftop decided for itself, that two versions do not say alike. A side that does not have it is null. */
export interface RuleDifference {
  readonly kind: 'rule' | 'rooftop';
  /** Id of the rule; rooftop and category. */
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** What differs between two versions, rule by rule, ascending by id. The order of rules means nothing. */
export function compareDocuments(
  before: RetentionPolicyDocument,
  after: RetentionPolicyDocument,
): readonly RuleDifference[] {
  return [
    ...differences('rule', byRule(before), byRule(after)),
    ...differences('rooftop', byRooftop(before), byRooftop(after)),
  ];
}

const byRule = ({ rules }: RetentionPolicyDocument): ReadonlyMap<string, object> =>
  new Map(rules.map((rule) => [rule.rule_id, rule]));

const byRooftop = ({ rooftops }: RetentionPolicyDocument): ReadonlyMap<string, object> =>
  new Map(rooftops.map((own) => [`${own.rooftop_id}/${own.category}`, own]));

function differences(
  kind: RuleDifference['kind'],
  before: ReadonlyMap<string, object>,
  after: ReadonlyMap<string, object>,
): readonly RuleDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .map((id) => ({ kind, id, before: before.get(id) ?? null, after: after.get(id) ?? null }))
    .filter((side) => canonicalJson(side.before) !== canonicalJson(side.after));
}
