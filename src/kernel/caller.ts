/**
 * Who is calling, as established from transport credentials alone (never from arguments or `_meta`; DAP security profile §2).
 * `network` is the address key used for rate limits of anonymous callers; it is never stored.
 */
export type Caller = AnonymousCaller | StaffCaller | SystemCaller;

export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly network: string;
}

/** A named person or program of an organization, with an API key (docs/glossary.md). */
export interface StaffCaller {
  readonly kind: 'key';
  readonly keyId: string;
  readonly organizationId: string;
  readonly role: KeyRole;
  readonly network: string;
}

/** The service itself: workers and the command line. */
export interface SystemCaller {
  readonly kind: 'system';
  readonly name: string;
}

export const KEY_ROLES = ['admin', 'compliance', 'auditor', 'app'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];
