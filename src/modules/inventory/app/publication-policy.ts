import { createHash } from 'node:crypto';
import type { ServedSettings } from '../../tenancy/index.js';
import { SERIALISER_VERSION } from '../domain/vehicle-record/serialiser-version.js';
import type { RooftopPublicationPolicy } from '../domain/vehicle-record/vehicle-context.js';

const known = new WeakMap<ServedSettings, RooftopPublicationPolicy>();
const digests = new WeakMap<ServedSettings, string>();

/** What a rooftop's settings say about every unit it publishes. Asked for every row, so made once for each settings object. */
export function publicationPolicyOf(settings: ServedSettings): RooftopPublicationPolicy {
  const policy = known.get(settings) ?? makePolicy(settings);
  known.set(settings, policy);
  return policy;
}

/**
 * Digest of everything beside the record that a serialised vehicle is made from: the policy and the version of the
 * serialiser. Heads that were written under another digest are written again when they are read (decision record 0025).
 */
export function publicationDigestOf(settings: ServedSettings): string {
  const digest = digests.get(settings) ?? digestOf(publicationPolicyOf(settings));
  digests.set(settings, digest);
  return digest;
}

function digestOf(policy: RooftopPublicationPolicy): string {
  return createHash('sha256')
    .update(JSON.stringify([SERIALISER_VERSION, policy], membersInOrder))
    .digest('hex');
}

/** PostgreSQL keeps the members of JSON in an order of its own: equal settings must have one digest in any order. */
function membersInOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function makePolicy(settings: ServedSettings): RooftopPublicationPolicy {
  const charges = settings.required_charges;
  return {
    inventorySlaSeconds: settings.freshness_sla_seconds.inventory,
    publishInventoryAge: settings.publish_inventory_age,
    ...(settings.withheld_fields === undefined ? {} : { withheldFields: settings.withheld_fields }),
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
