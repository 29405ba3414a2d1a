import type { Provenance } from '../../../kernel/schema/dap-common.js';
import type { AdjustmentRule, EligibilityCriterion } from '../../../kernel/schema/dap-pricing.js';
import { parseRfc3339 } from '../../../kernel/time.js';
import { boundedText } from './bounded-text.js';
import { derivedIds } from './derived-id.js';
import type { DisclosedAdjustment } from './disclosure-schema.js';
import { mayHoldIn } from './jurisdictions.js';
import { contradicts } from './payment-claim.js';
import type { DisclosureContext, StatedAdjustment } from './price-facts.js';

/**
 * Rules of the rooftop that are in force and that the request does not rule out (DAP §4.5). What is left is not applied and
 * nobody's eligibility is decided.
 * @param now milliseconds.
 */
export function rulesInQuestion(
  rules: readonly AdjustmentRule[],
  { jurisdiction, paymentMode }: DisclosureContext,
  now: number,
): readonly AdjustmentRule[] {
  return rules.filter(
    (rule) => inForce(rule, now) && mayHoldIn(rule.jurisdictions, jurisdiction) && !contradicts(rule, paymentMode),
  );
}

function inForce({ valid_from: from, valid_until: until }: AdjustmentRule, now: number): boolean {
  const start = from === undefined ? undefined : parseRfc3339(from);
  const end = until === undefined ? undefined : parseRfc3339(until);
  return (start === undefined || start <= now) && (end === undefined || now <= end);
}

/** A rule of the rooftop as it is shown. */
export function disclosedRule(rule: AdjustmentRule, provenance: Provenance): DisclosedAdjustment {
  const { amount, amount_status: status, criteria, ...rest } = rule;
  const known = status === 'known' && amount !== undefined;
  return {
    ...rest,
    amount_status: known ? 'known' : 'unknown',
    ...(known ? { amount } : {}),
    criteria: criteria.map(ofNoBuyer),
    provenance,
  };
}

/** "Claimed" and "verified" describe a particular buyer, and no buyer is known here: evidence is still required. */
function ofNoBuyer(criterion: EligibilityCriterion): EligibilityCriterion {
  const { evidence_status: evidence } = criterion;
  return evidence === 'claimed' || evidence === 'verified' ? { ...criterion, evidence_status: 'required' } : criterion;
}

/**
 * What a feed says in its own words. Free text is never interpreted: who qualifies becomes a criterion `other`, what it
 * combines with names the group, and whether it combines is up to rules that the feed does not give (DAP §4.7).
 * @param scope what the ids are unique in: the unit.
 */
export function disclosedStatements(
  statements: readonly StatedAdjustment[],
  scope: string,
  provenance: Provenance,
): readonly DisclosedAdjustment[] {
  const ids = derivedIds('adjustment', statements, (s) => [scope, s.name, s.direction, s.eligibility ?? '']);
  return statements.map((statement, index) => {
    const { name, direction, amount, eligibility = '', stacking = '' } = statement;
    return {
      adjustment_id: ids[index] ?? '',
      name: boundedText(name, 160, 'Adjustment without a name'),
      direction,
      amount_status: amount === undefined ? 'unknown' : 'known',
      ...(amount === undefined ? {} : { amount: { ...amount } }),
      criteria: [
        {
          criterion: 'other',
          operator: 'present',
          value: true,
          evidence_status: 'required',
          description: boundedText(eligibility, 500, 'The source does not say who qualifies.'),
        },
      ],
      stacking: { group: boundedText(stacking, 80, 'unspecified'), combinability: 'rule_defined' },
      provenance,
    };
  });
}

/** Whether the source says who qualifies and what it combines with. Rules of a rooftop always do. */
export function isFullyStated({ eligibility = '', stacking = '' }: StatedAdjustment): boolean {
  return eligibility !== '' && stacking !== '';
}
