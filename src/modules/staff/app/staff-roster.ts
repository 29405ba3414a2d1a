import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { StaffRole } from '../domain/staff-record.js';
import type { StaffStore } from './staff-store.js';

/** What a person is now. */
export interface StaffStanding {
  readonly personId: string;
  /** Null without a role. */
  readonly role: StaffRole | null;
  readonly active: boolean;
  /**
   * Who could have signed in as this person: the person who handed out the one-time code of the last sign-in, else the person
   * alone. Two persons with one hand behind them count as one (decision record 0033).
   */
  readonly hand: string;
}

/** Port: how persons stand at this moment, for decisions that count them. */
export interface StaffRoster {
  /** Unknown persons are left out. The persons cannot change before the transaction ends. */
  standing(tx: TenantTransaction, personIds: readonly string[]): Promise<readonly StaffStanding[]>;
}

export const STAFF_ROSTER = Symbol('StaffRoster');

export class StoredStaffRoster implements StaffRoster {
  constructor(private readonly store: StaffStore) {}

  async standing(tx: TenantTransaction, personIds: readonly string[]): Promise<readonly StaffStanding[]> {
    if (personIds.length === 0) return [];
    const persons = await this.store.standing(tx, personIds);
    const issuers = await this.store.lastCodeIssuers(tx, personIds);
    return persons.map(({ personId, role, disabledAt }) => ({
      personId,
      role,
      active: disabledAt === null,
      hand: issuers.get(personId) ?? personId,
    }));
  }
}
