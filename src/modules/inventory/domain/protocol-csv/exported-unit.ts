import type { ConditionalAdjustment, RequiredCharge } from '../listed-unit.js';
import type { Vehicle } from '../vehicle-schema.js';

/** A published unit as the protocol's CSV carries it: the vehicle as it is served, and what its price comes with. */
export interface ExportedUnit {
  readonly vehicle: Vehicle;
  /** What every buyer pays; `unknown` where nobody said. */
  readonly requiredCharges: readonly RequiredCharge[] | 'unknown';
  /** Adjustments that the unit's own row lists, in its words. */
  readonly conditionalAdjustments: readonly ConditionalAdjustment[];
}
