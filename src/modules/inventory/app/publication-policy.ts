import type { RooftopSettings } from '../../tenancy/index.js';
import type { RooftopPublicationPolicy } from '../domain/vehicle-record/vehicle-context.js';

/** What a rooftop's settings say about every unit it publishes. */
export function publicationPolicyOf(settings: RooftopSettings): RooftopPublicationPolicy {
  const charges = settings.required_charges;
  return {
    inventorySlaSeconds: settings.freshness_sla_seconds.inventory,
    requiredCharges:
      charges.status === 'listed'
        ? {
            status: 'listed',
            charges: charges.charges.map(({ included_in_advertised_price, ...charge }) => ({
              ...charge,
              includedInAdvertisedPrice: included_in_advertised_price,
            })),
          }
        : { status: charges.status },
  };
}
