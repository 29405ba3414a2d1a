import type { KeyRole } from '../../../kernel/caller.js';

/** Roles of persons: `app` is for programs. */
export const STAFF_ROLES = ['admin', 'compliance', 'auditor'] as const satisfies readonly KeyRole[];
export type StaffRole = (typeof STAFF_ROLES)[number];

/** Who a person is at an outside identity provider. */
export interface OutsideIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** A person as kept. Times are milliseconds. */
export interface StaffRecord {
  readonly organizationId: string;
  readonly personId: string;
  readonly name: string;
  /** Null for an outside identity whose groups give no role at present. */
  readonly role: StaffRole | null;
  /** Who signs in there gets no one-time codes here. */
  readonly identity: OutsideIdentity | null;
  readonly disabledAt: number | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}
