import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** Port: where the rooftops of an organization are. */
export interface RooftopPlaces {
  /** By rooftop, those that moved away too: `US-TX`; `US` or `*` where no more is known. */
  of(tx: TenantTransaction): Promise<ReadonlyMap<string, string>>;
}
