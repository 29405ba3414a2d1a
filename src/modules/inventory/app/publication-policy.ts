import type { RooftopSettings } from '../../tenancy/index.js';
import type { RooftopPublicationPolicy } from '../domain/vehicle-record/vehicle-context.js';

const known = new WeakMap<RooftopSettings, RooftopPublicationPolicy>();

/** What a rooftop's settings say about every unit it publishes. Asked for every row, so made once for each settings object. */
export function publicationPolicyOf(settings: RooftopSettings): RooftopPublicationPolicy {
  const policy = known.get(settings) ?? makePolicy(settings);
  known.set(settings, policy);
  return policy;
}

function makePolicy(settings: RooftopSettings): RooftopPublicationPolicy {
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
