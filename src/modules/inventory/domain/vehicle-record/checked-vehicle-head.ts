import type { Violation } from '../../../../kernel/failure/violation.js';
import { compileValidator } from '../../../../kernel/schema/validator.js';
import type { ListedUnit } from '../listed-unit.js';
import { Vehicle } from '../vehicle-schema.js';
import { headOf, vehicleOf } from './serialize-vehicle.js';
import type { VehicleContext } from './vehicle-context.js';

const validate = compileValidator(Vehicle);

/** A serialised vehicle up to its state, or every violation of the schema, without values. */
export type CheckedVehicleHead = { readonly head: string } | { readonly problems: readonly Violation[] };

/**
 * Serialises a unit and checks the very object that is written, as a current record, against the vehicle schema. Run once
 * when a unit is published, so that answers need not be checked again (decision record 0006).
 * @throws Error for a unit without an advertised price: such a unit is withheld, not serialised.
 */
export function checkedVehicleHead(unit: ListedUnit, context: VehicleContext): CheckedVehicleHead {
  const vehicle = vehicleOf(unit, context);
  const problems = validate(vehicle);
  return problems.length === 0 ? { head: headOf(vehicle) } : { problems };
}
