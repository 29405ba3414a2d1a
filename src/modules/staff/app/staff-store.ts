import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { OutsideIdentity, StaffRecord, StaffRole } from '../domain/staff-record.js';

/** A one-time code as kept. Times are milliseconds. */
export interface StoredCode {
  readonly codeId: string;
  readonly personId: string;
  readonly codeHash: Uint8Array;
  /** The person who handed it out; null: the operator of the machine. */
  readonly issuedBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface StaffChange {
  readonly name?: string;
  readonly role?: StaffRole | null;
  readonly disabledAt?: number | null;
}

/** What a person is found by before the organization is known. */
export type FoundPerson = Pick<StaffRecord, 'organizationId' | 'personId' | 'name' | 'role' | 'disabledAt'> & {
  /** Whether the person signs in at an outside identity provider. */
  readonly outside: boolean;
};

/** Port: finds a person before the organization is known. */
export interface StaffDirectory {
  /** @throws Failure `upstream.unavailable` or `limit.busy` when the store does not answer. */
  find(personId: string): Promise<FoundPerson | undefined>;
}

export const STAFF_DIRECTORY = Symbol('StaffDirectory');

/** Port: keeps the staff of one organization. Nobody is ever deleted. */
export interface StaffStore {
  insert(tx: TenantTransaction, person: StaffRecord): Promise<void>;
  /** As {@link insert}; nothing happens where the identity is there already, or the organization is not. */
  insertIdentity(tx: TenantTransaction, person: StaffRecord, claimsAt: number): Promise<void>;
  /** @param purpose `change` keeps others from changing the person until the transaction ends */
  find(tx: TenantTransaction, personId: string, purpose: 'read' | 'change'): Promise<StaffRecord | undefined>;
  /** With when the newest token was issued whose groups decided the role. */
  findIdentity(
    tx: TenantTransaction,
    identity: OutsideIdentity,
    purpose: 'read' | 'change',
  ): Promise<(StaffRecord & { readonly claimsAt: number }) | undefined>;
  /** By id, those behind `after`. */
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StaffRecord[]>;
  /** Adds one to the version. */
  change(tx: TenantTransaction, personId: string, change: StaffChange, at: number): Promise<void>;
  /** Remembers from when the groups are that decided the role. */
  noteClaims(tx: TenantTransaction, personId: string, claimsAt: number): Promise<void>;
  insertCode(tx: TenantTransaction, code: StoredCode): Promise<void>;
  /** Codes that are neither spent nor expired. */
  openCodes(tx: TenantTransaction, personId: string, now: number): Promise<readonly StoredCode[]>;
  /** @returns false when another sign-in was quicker. */
  spendCode(tx: TenantTransaction, codeId: string, at: number): Promise<boolean>;
  /** Counts one attempt; a window of `windowMs` starts with its first one. @returns how many there are in it now */
  countAttempt(tx: TenantTransaction, personId: string, now: number, windowMs: number): Promise<number>;
  forgetAttempts(tx: TenantTransaction, personId: string): Promise<void>;
  /** Who handed out the code that each person signed in with last; null where it was the operator, absent without one. */
  lastCodeIssuers(tx: TenantTransaction, personIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Keeps others from changing these persons until the transaction ends. */
  standing(tx: TenantTransaction, personIds: readonly string[]): Promise<readonly StaffRecord[]>;
}
