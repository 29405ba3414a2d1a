import { boundedText } from './bounded-text.js';
import type { DisclosedAdjustment, Uncertainty } from './disclosure-schema.js';
import type { ClassifiedGovernmentCharges } from './government-charges.js';

const REASON_CHARACTERS_MAX = 500;

/** What of a disclosure is not known, and why (DAP-CORE-023). Unknown outweighs estimated. */
export function uncertaintyOf(
  chargesKnown: boolean,
  adjustments: readonly DisclosedAdjustment[],
  government: ClassifiedGovernmentCharges,
): Uncertainty {
  const unknown = [
    ...(chargesKnown ? [] : ['The dealer has not stated which charges every buyer pays; there may be some.']),
    ...(government.reason === undefined ? [] : [government.reason]),
    ...(adjustments.some((a) => a.amount_status === 'unknown') ? ['The amount of an adjustment is unknown.'] : []),
  ];
  if (unknown.length > 0)
    return { status: 'unknown', reason: boundedText(unknown.join(' '), REASON_CHARACTERS_MAX, '') };
  const { status, assumptions } = government.charges;
  if (status !== 'estimated') return { status: 'exact' };
  return {
    status: 'estimated',
    reason: 'Government charges are estimated.',
    ...(assumptions === undefined ? {} : { assumptions }),
  };
}
