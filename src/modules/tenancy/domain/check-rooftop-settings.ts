import type { Violation } from '../../../kernel/failure/violation.js';
import { AdjustmentRule } from '../../../kernel/schema/dap-pricing.js';
import { compileValidator } from '../../../kernel/schema/validator.js';
import { parseRfc3339 } from '../../../kernel/time.js';
import { RequiredCharge, RooftopSettings } from './rooftop-settings.js';

/** A settings document that was checked, or every violation of it at once, without values. */
export type CheckedRooftopSettings =
  { readonly settings: RooftopSettings } | { readonly violations: readonly Violation[] };

const problemsOfDocument = compileValidator(RooftopSettings);
const isRule = (entry: unknown): entry is AdjustmentRule => problemsOfRule(entry).length === 0;
const problemsOfRule = compileValidator(AdjustmentRule);
const problemsOfCharge = compileValidator(RequiredCharge);
const isCharge = (entry: unknown): entry is RequiredCharge => problemsOfCharge(entry).length === 0;

/**
 * Checks a whole settings document: its schema, and what no schema can say. Parts that are sound by themselves are held
 * against the rules also where others are not, so that one answer names everything.
 * @param currency that of the rooftop: amounts in another one could never be shown beside its prices.
 */
export function checkRooftopSettings(document: unknown, currency: string): CheckedRooftopSettings {
  const violations = [
    ...problemsOfDocument(document),
    ...chargeProblems(document, currency),
    ...adjustmentProblems(document, currency),
  ];
  return violations.length === 0 ? { settings: document as RooftopSettings } : { violations };
}

function chargeProblems(document: unknown, currency: string): Violation[] {
  const charges = listAt(memberOf(document, 'required_charges'), 'charges');
  return charges.flatMap((entry, index) =>
    isCharge(entry) && entry.amount.currency !== currency
      ? [foreignCurrency(`/required_charges/charges/${index}/amount/currency`)]
      : [],
  );
}

function adjustmentProblems(document: unknown, currency: string): Violation[] {
  const entries = listAt(document, 'conditional_adjustments');
  const known = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const id = memberOf(entry, 'adjustment_id');
    if (typeof id === 'string' && !known.has(id)) known.set(id, index);
  }
  return entries.flatMap((entry, index) => {
    if (!isRule(entry)) return [];
    const at = `/conditional_adjustments/${index}`;
    return [
      ...(known.get(entry.adjustment_id) === index
        ? []
        : [{ pointer: `${at}/adjustment_id`, keyword: 'uniqueItems', explanation: 'is the id of an earlier rule' }]),
      ...amountProblems(entry, at, currency),
      ...periodProblems(entry, at),
      ...combinationProblems(entry, at, known),
    ];
  });
}

/** `amount` is there exactly when it is known (DAP §4.5). */
function amountProblems({ amount, amount_status }: AdjustmentRule, at: string, currency: string): Violation[] {
  if (amount_status === 'known' && amount === undefined)
    return [{ pointer: `${at}/amount`, keyword: 'required', explanation: 'is required where its status is known' }];
  if (amount_status === 'unknown' && amount !== undefined)
    return [{ pointer: `${at}/amount`, keyword: 'not', explanation: 'cannot be given where its status is unknown' }];
  return amount === undefined || amount.currency === currency ? [] : [foreignCurrency(`${at}/amount/currency`)];
}

function periodProblems({ valid_from, valid_until }: AdjustmentRule, at: string): Violation[] {
  if (valid_from === undefined || valid_until === undefined) return [];
  const [from, until] = [parseRfc3339(valid_from), parseRfc3339(valid_until)];
  if (from === undefined || until === undefined || from < until) return [];
  return [{ pointer: `${at}/valid_until`, keyword: 'minimum', explanation: 'must be after valid_from' }];
}

function combinationProblems(
  { adjustment_id, stacking }: AdjustmentRule,
  at: string,
  known: ReadonlyMap<string, number>,
): Violation[] {
  return (stacking.combinable_with ?? []).flatMap((id, index) =>
    known.has(id) && id !== adjustment_id
      ? []
      : [
          {
            pointer: `${at}/stacking/combinable_with/${index}`,
            keyword: 'enum',
            explanation: 'must be the id of another rule of this document',
          },
        ],
  );
}

const foreignCurrency = (pointer: string): Violation => ({
  pointer,
  keyword: 'const',
  explanation: 'is not the currency of the rooftop',
});

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}
