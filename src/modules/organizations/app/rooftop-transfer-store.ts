import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** One side's half of an agreement. Times are milliseconds. */
export interface RooftopTransfer {
  readonly moveId: string;
  /** `offer` by the organization that has the rooftop, `acceptance` by the one that is to get it. */
  readonly side: 'offer' | 'acceptance';
  readonly rooftopId: string;
  readonly otherOrganizationId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly withdrawnAt: number | null;
  readonly completedAt: number | null;
}

/** Both halves, as the operator sees them. Times are milliseconds. */
export interface RooftopMove {
  readonly moveId: string;
  readonly rooftopId: string;
  readonly fromOrganizationId: string;
  readonly toOrganizationId: string;
  readonly offeredAt: number;
  readonly expiresAt: number;
  /** Null while the other side has not accepted. */
  readonly acceptedAt: number | null;
  readonly withdrawnAt: number | null;
  readonly completedAt: number | null;
}

export interface Page {
  readonly after?: string;
  readonly limit: number;
}

/** Port: agreements to move rooftops. Each side sees its own half alone. */
export interface RooftopTransferStore {
  /** @returns false when the organization has a half of this move already. */
  insert(
    tx: TenantTransaction,
    transfer: Omit<RooftopTransfer, 'withdrawnAt' | 'completedAt'>,
    author: string,
  ): Promise<boolean>;
  /** The organization's own halves by id, those after `after`. */
  list(tx: TenantTransaction, page: Page): Promise<readonly RooftopTransfer[]>;
  /** @returns the half, undefined when the organization has none that is still open. */
  withdraw(tx: TenantTransaction, moveId: string, at: number): Promise<RooftopTransfer | undefined>;
  /** Both halves of every move; only in a transaction of the platform. */
  listMoves(tx: TenantTransaction, page: Page): Promise<readonly RooftopMove[]>;
  /**
   * Moves the rooftop; only in a transaction of the platform.
   * @throws Failure `input.precondition` unless both halves are there, fit and are open, or when the id is taken.
   */
  carryOut(tx: TenantTransaction, moveId: string): Promise<CarriedOutMove>;
}

export interface CarriedOutMove {
  readonly rooftopId: string;
  readonly fromOrganizationId: string;
  readonly toOrganizationId: string;
  /** Units that went along. */
  readonly units: number;
}
