import type { KeyRole } from '../caller.js';

/** A person who works for an organization (docs/glossary.md). */
export interface StaffPerson {
  readonly personId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly role: KeyRole;
}

/** Port: how a person proves who they are at the embedded authorization server. */
export interface StaffSignIn {
  /**
   * Spends a one-time code: the same code never works twice, also not at the same moment on two processes.
   * Recorded in the audit trail here, refusals with their true reason.
   * @param network address key of who tries (`networkOf`), to limit attempts by; never stored
   * @returns undefined for a wrong, spent or expired code, for an unknown or disabled person, and after too many attempts;
   *   always after the same time.
   */
  signIn(personId: string, oneTimeCode: string, network?: string): Promise<StaffPerson | undefined>;
}

export const STAFF_SIGN_IN = Symbol('StaffSignIn');
