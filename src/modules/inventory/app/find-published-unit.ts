import { Failure } from '../../../kernel/failure/failure.js';
import type { OrganizationInventory, VehicleSelector } from '../domain/read-model/organization-inventory.js';

/**
 * Position of a published unit.
 * @throws Failure `vehicle.not_found`, or `vehicle.ambiguous` when two units of the rooftop share a VIN or stock number.
 */
export function findPublishedUnit(
  inventory: OrganizationInventory,
  rooftopId: string,
  selector: VehicleSelector,
): number {
  const position = inventory.find(rooftopId, selector);
  if (position === 'absent') throw new Failure('vehicle.not_found', { reason: 'not_found' });
  if (position !== 'ambiguous') return position;
  const pointer = 'vin' in selector ? '/vin' : '/stock_number';
  const explanation = 'names more than one published vehicle of this rooftop';
  throw new Failure('vehicle.ambiguous', { violations: [{ pointer, keyword: 'uniqueItems', explanation }] });
}
