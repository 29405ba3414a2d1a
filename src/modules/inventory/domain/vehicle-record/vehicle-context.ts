import type { RequiredCharge } from '../listed-unit.js';
import type { WithheldUnitField } from './withhold-fields.js';

/** What a rooftop's settings say about every unit it publishes. */
export interface RooftopPublicationPolicy {
  /** How long an observation stays current, seconds. */
  readonly inventorySlaSeconds: number;
  readonly requiredCharges: RequiredChargePolicy;
  /** Whether how long units have been in stock may leave at all. */
  readonly publishInventoryAge: boolean;
  /** Fields that the dealer's policy withholds; absent where it withholds none. */
  readonly withheldFields?: readonly WithheldUnitField[];
}

/** Charges imposed on every buyer at a rooftop: nobody said, there are none, or these. */
export interface RequiredChargePolicy {
  readonly status: 'unknown' | 'none' | 'listed';
  readonly charges?: readonly RequiredCharge[];
}

/** The received row a unit was read from. `sha256` is the file's digest in lower-case hex, `line` counts from 1. */
export interface RowSource {
  readonly feedName: string;
  readonly sha256: string;
  readonly line: number;
}

/** What a published vehicle needs to know beside the row itself. */
export interface VehicleContext {
  readonly organizationId: string;
  readonly vehicleId: string;
  readonly rooftop: RooftopPublicationPolicy;
  readonly source: RowSource;
  /** Milliseconds: when the event happened that set the price in place of the row; absent where the row did. */
  readonly pricedAt?: number;
}
