import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { WithheldReason } from '../domain/feed/row-outcome.js';

/** A sound unit of a served file that is not offered. */
export interface WithheldUnit {
  readonly rooftopId: string;
  readonly vehicleId: string;
  readonly vin: string;
  readonly stockNumber: string;
  readonly reason: WithheldReason;
  /** Milliseconds. */
  readonly observedAt: number;
}

/** A page of withheld units by vehicle id; continues behind `after`, the last one seen. */
export interface WithheldPage {
  readonly rooftopId?: string;
  readonly reason?: WithheldReason;
  readonly after?: string;
  readonly limit: number;
}

/** Port: units that are withheld as of now. One that an event has priced is offered, one that an event took away is gone. */
export interface WithheldUnits {
  list(tx: TenantTransaction, page: WithheldPage): Promise<readonly WithheldUnit[]>;
  /** Undefined when the rooftop has no such unit, or it is not withheld. */
  reasonOf(tx: TenantTransaction, rooftopId: string, vehicleId: string): Promise<WithheldReason | undefined>;
}
