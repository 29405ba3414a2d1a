import type { UnitNotes } from './unit-notes.js';
import type { AvailabilityStatus, Condition, VehicleType } from '../vehicle-schema.js';

/** A published unit as the read model takes it in. The head is its serialised vehicle up to the freshness state. */
export interface SegmentRow {
  readonly vehicleId: string;
  readonly vin: string;
  /** Empty where the dealer's policy withholds it. */
  readonly stockNumber: string;
  readonly year: number;
  readonly make: string;
  readonly model: string;
  readonly trim: string | null;
  readonly condition: Condition;
  readonly vehicleType: VehicleType | null;
  /** Part of the head only: no filter, facet or word of a query reads it. */
  readonly bodyStyle: string | null;
  /** Minor units of `currency`. */
  readonly priceMinor: number;
  readonly currency: string;
  readonly odometerValue: number | null;
  readonly odometerUnit: 'mi' | 'km' | null;
  readonly availability: AvailabilityStatus;
  /** Milliseconds. */
  readonly observedAt: number;
  /** Searches read its used-vehicle summary, too. */
  readonly head: string;
  readonly notes?: UnitNotes;
}

export interface SegmentOptions {
  /** How long an observation of this rooftop stays current, seconds. */
  readonly inventorySlaSeconds: number;
  /** The snapshot that the units belong to, and the feed that sent it. */
  readonly snapshotId: string;
  readonly feedName: string;
}
