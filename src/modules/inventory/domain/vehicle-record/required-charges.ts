import type { ListedUnit, RequiredCharge } from '../listed-unit.js';
import type { RequiredChargePolicy } from './vehicle-context.js';

/**
 * The charges every buyer of a unit pays: what its row lists, else what its rooftop says. `unknown` is never "none"
 * (DAP-PR-002): without either statement nothing is claimed.
 */
export function requiredChargesOf(
  unit: Pick<ListedUnit, 'requiredCharges'>,
  policy: RequiredChargePolicy,
): readonly RequiredCharge[] | 'unknown' {
  if (unit.requiredCharges !== undefined) return unit.requiredCharges;
  if (policy.status === 'none') return [];
  return policy.status === 'listed' ? (policy.charges ?? 'unknown') : 'unknown';
}

/** True only when the charges are known and the advertised price contains every one of them, or there are none. */
export function includesRequiredCharges(charges: readonly RequiredCharge[] | 'unknown'): boolean {
  return charges !== 'unknown' && charges.every((charge) => charge.includedInAdvertisedPrice);
}
