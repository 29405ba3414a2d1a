import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Rooftop } from '../domain/dealer-group.js';

/** What a rooftop says of itself; ids, currency and settings are decided elsewhere. */
export type RooftopProfile = Pick<
  Rooftop,
  'name' | 'legalName' | 'website' | 'address' | 'timezone' | 'departments' | 'contacts' | 'hours' | 'languages'
>;

/** A rooftop as staff see it. */
export interface RooftopRecord extends RooftopProfile, Pick<Rooftop, 'rooftopId' | 'currency'> {
  readonly version: number;
  readonly settingsVersion: number;
  /** Milliseconds. */
  readonly updatedAt: number;
}

/** Port: rooftops of one organization. Those that another one has now are not among them. */
export interface RooftopProfileStore {
  /** Kept as it is until the transaction ends when it is asked for to be changed. */
  find(tx: TenantTransaction, rooftopId: string, purpose: 'read' | 'change'): Promise<RooftopRecord | undefined>;
  /** Whether the id was ever used here: that of a rooftop which was moved away stays with its history. */
  isTaken(tx: TenantTransaction, rooftopId: string): Promise<boolean>;
  /** Puts the next version in force and announces it to every process when the transaction commits. */
  change(tx: TenantTransaction, rooftopId: string, version: number, profile: RooftopProfile): Promise<void>;
  /** Tells every process, when the transaction commits, that the rooftops of the organization have changed. */
  announce(tx: TenantTransaction): Promise<void>;
}
