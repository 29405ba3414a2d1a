import type { AdjustmentRule, EligibilityCriterion } from '../../../kernel/schema/dap-pricing.js';
import type { PaymentMode } from './price-facts.js';

const NAMED_MODES: ReadonlySet<string> = new Set(['cash', 'finance', 'lease']);

/**
 * Whether a rule needs a way of paying that the request rules out. Under `any` every alternative must be ruled out. Words
 * that are no way of paying of the protocol rule nothing out.
 */
export function contradicts(rule: AdjustmentRule, mode: PaymentMode | undefined): boolean {
  if (mode === undefined || mode === 'unknown') return false;
  const contradicted = (criterion: EligibilityCriterion): boolean => {
    const modes = modesOf(criterion);
    return modes.length > 0 && modes.every((m) => NAMED_MODES.has(m)) && !modes.includes(mode);
  };
  return rule.criteria_mode === 'any' ? rule.criteria.every(contradicted) : rule.criteria.some(contradicted);
}

/**
 * Whether the way of paying that a request names is by itself all that a rule asks for, and the rule asks for it to be
 * verified. Such a request claims the adjustment; nothing here can verify it (DAP error contract: "a claimed adjustment
 * cannot be applied").
 */
export function claimsUnverified(rule: AdjustmentRule, mode: PaymentMode | undefined): boolean {
  if (mode === undefined || mode === 'unknown') return false;
  const claimed = rule.criteria.filter((criterion) => modesOf(criterion).includes(mode));
  const unverified = (criterion: EligibilityCriterion): boolean => criterion.operator === 'verified';
  if (rule.criteria_mode === 'any') return claimed.length > 0 && claimed.every(unverified);
  return claimed.length === rule.criteria.length && claimed.some(unverified);
}

/** The ways of paying that a criterion names, in lower case; none when it is about something else or takes any. */
function modesOf({ criterion, operator, value }: EligibilityCriterion): readonly string[] {
  if (criterion !== 'payment_mode' || operator === 'present') return [];
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((v) => (typeof v === 'string' ? [v.trim().toLowerCase()] : []));
}
