import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { StaffRole } from '../domain/staff-record.js';

/** What a person was from a time on, until the next version. Times are milliseconds. */
export interface StaffVersion {
  readonly version: number;
  /** Null for an outside identity whose groups gave no role then. */
  readonly role: StaffRole | null;
  readonly disabledAt: number | null;
  readonly from: number;
}

/** A person and everything that they were, as far as it is kept. */
export interface PersonHistory {
  readonly personId: string;
  readonly name: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly disabledAt: number | null;
  /** Ascending. What lies before the first one is not known: it was not kept yet, or was disposed of. */
  readonly versions: readonly StaffVersion[];
}

/** Port: which role every person had, and when. */
export interface StaffHistory {
  /** @param begunBy milliseconds: persons who came later are left out */
  persons(tx: TenantTransaction, begunBy: number): Promise<readonly PersonHistory[]>;
}

export const STAFF_HISTORY = Symbol('StaffHistory');
