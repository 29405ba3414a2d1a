import type { Violation } from '../../../../kernel/failure/violation.js';
import { compileValidator } from '../../../../kernel/schema/validator.js';
import { Vehicle } from '../vehicle-schema.js';
import { VEHICLE_TAILS } from './serialize-vehicle.js';

const validate = compileValidator(Vehicle);

/**
 * Checks a serialised head, completed as a current record, against the vehicle schema. Run once when a unit is published,
 * so that answers need not be checked again (decision record 0006).
 * @returns every violation, without values; empty when the head may be published.
 */
export function vehicleHeadProblems(head: string): readonly Violation[] {
  const vehicle = parsed(head + VEHICLE_TAILS.current);
  if (vehicle !== undefined) return validate(vehicle);
  return [{ pointer: '', keyword: 'type', explanation: 'is not a serialised vehicle up to its state' }];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
