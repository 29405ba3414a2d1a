import type { Provenance } from '../../../kernel/schema/dap-common.js';
import { boundedText } from './bounded-text.js';
import { derivedIds } from './derived-id.js';
import type { DealerCharge } from './disclosure-schema.js';
import type { PriceFacts } from './price-facts.js';

/**
 * Charges that every buyer pays, each with its own id and source (DAP-PR-002). Empty where there are none and where nobody
 * said: which of the two it is, the completeness and the uncertainty tell.
 */
export function disclosedCharges(
  facts: PriceFacts,
  provenanceOf: (by: 'row' | 'rooftop') => Provenance,
): readonly DealerCharge[] {
  const { charges } = facts;
  if (charges.by === 'nobody') return [];
  const scope = charges.by === 'row' ? facts.vehicleId : facts.rooftopId;
  const ids = derivedIds('charge', charges.charges, (charge) => [scope, charge.name, charge.payee]);
  return charges.charges.map((charge, index) => ({
    charge_id: ids[index] ?? '',
    name: boundedText(charge.name, 160, 'Charge without a name'),
    amount: { ...charge.amount },
    payee: charge.payee,
    included_in_advertised_price: charge.includedInAdvertisedPrice,
    required: true,
    provenance: provenanceOf(charges.by),
  }));
}
