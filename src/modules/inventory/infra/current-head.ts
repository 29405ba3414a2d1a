import { publicationDigestOf, publicationPolicyOf } from '../app/publication-policy.js';
import type { ListedUnit } from '../domain/listed-unit.js';
import { checkedVehicleHead } from '../domain/vehicle-record/checked-vehicle-head.js';
import type { RooftopSource } from './rooftop-source.js';

/** A stored unit with what its document is made from. */
export interface StoredUnit {
  readonly vehicleId: string;
  readonly record: ListedUnit;
  readonly sha256: string;
  readonly line: number;
}

/** Whether the stored documents of a snapshot say what the rooftop's policy and this version of the service say today. */
export function headsAreCurrent(source: RooftopSource): boolean {
  return source.policyDigest === publicationDigestOf(source.rooftop.settings);
}

/**
 * The document of a unit under the policy of today, up to its state. Its observation time is that of the record: nothing
 * becomes fresher by being written again.
 * @param pricedAt milliseconds: when the event happened that set the price; absent where the record did
 * @returns undefined when the record no longer makes a valid vehicle; it is then left out, as an import would.
 */
export function currentHead(
  unit: StoredUnit,
  price: ListedUnit['advertisedPrice'],
  organizationId: string,
  source: RooftopSource,
  pricedAt?: number,
): string | undefined {
  if (price === undefined) return undefined;
  const checked = checkedVehicleHead(
    { ...unit.record, advertisedPrice: price },
    {
      organizationId,
      vehicleId: unit.vehicleId,
      rooftop: publicationPolicyOf(source.rooftop.settings),
      source: { feedName: source.feedName, sha256: unit.sha256, line: unit.line },
      ...(pricedAt === undefined ? {} : { pricedAt }),
    },
  );
  return 'problems' in checked ? undefined : checked.head;
}
