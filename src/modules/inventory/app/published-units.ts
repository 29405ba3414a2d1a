import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ColumnMap } from '../domain/feed/row-outcome.js';

/** Where a served unit comes from. Times are milliseconds. */
export interface UnitOrigin {
  readonly vehicleId: string;
  readonly rooftopId: string;
  readonly vin: string;
  readonly withheld: string | null;
  readonly observedAt: number;
  readonly feedId: string;
  readonly runId: string;
  readonly sha256: string;
  readonly fileName: string;
  readonly receivedAt: number;
  readonly line: number;
  readonly record: number;
  /** Which column, or element path, each member was read from. */
  readonly columns: ColumnMap;
  /** What single-unit events say over it; null where none did. */
  readonly overlay: {
    readonly status: string | null;
    readonly statusTime: number | null;
    readonly priceMinor: number | null;
    readonly priceTime: number | null;
  } | null;
}

export interface RooftopOverview {
  readonly rooftopId: string;
  readonly feedId: string;
  readonly runId: string;
  readonly offered: number;
  readonly withheld: number;
  /** Milliseconds. */
  readonly receivedAt: number;
  readonly switchedAt: number;
}

export interface PublicationOverview {
  readonly version: number;
  /** Rooftops that serve something, by id. */
  readonly rooftops: readonly RooftopOverview[];
}

/** Port: what is served, for people who ask why. */
export interface PublishedUnits {
  /** Undefined when no rooftop serves such a vehicle. */
  findOrigin(tx: TenantTransaction, vehicleId: string): Promise<UnitOrigin | undefined>;
  overview(tx: TenantTransaction): Promise<PublicationOverview>;
}
