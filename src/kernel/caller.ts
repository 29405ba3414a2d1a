/**
 * Who is calling, as established from transport credentials alone (never from arguments or `_meta`; DAP security profile §2).
 * `network` is the address key used for rate limits of anonymous callers; it is never stored.
 */
export type Caller = AnonymousCaller | AgentCaller | StaffCaller | SystemCaller;

export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly network: string;
}

/** A program that calls the protocol surfaces under a grant (DAP security profile §3). */
export interface AgentCaller {
  readonly kind: 'agent';
  /** Who it is, as the grant names it: never a person. */
  readonly subject: string;
  readonly grant: Grant;
  readonly network: string;
  /** The OAuth client that it came as, by the id under which its organization knows it; absent for API keys. */
  readonly client?: string;
  /** What it showed: a key, or a client at its issuer. For limits only; a subject may have several. */
  readonly credentialId?: string;
  /** The trust in the issuer of its token, which ends for itself; absent for keys and the embedded authorization server. */
  readonly issuerTrustId?: string;
}

/**
 * What an organization allows a subject (DAP security profile §3). Immutable: a change is a new version. Rooftops are
 * named one by one, or come from a group delegation that is recorded on its own.
 */
export interface Grant {
  readonly grantId: string;
  readonly version: number;
  readonly subject: string;
  readonly organizationId: string;
  readonly rooftops:
    | { readonly kind: 'listed'; readonly rooftopIds: readonly string[] }
    /** `all`: every rooftop of the organization, also those to come. */
    | { readonly kind: 'group'; readonly delegationId: string; readonly rooftopIds: 'all' | readonly string[] };
  readonly profiles: readonly string[];
  readonly scopes: readonly string[];
  readonly purposes: readonly string[];
  readonly issuer: string;
  /** Milliseconds. */
  readonly expiresAt: number;
  /** How lists name tools for its holder, where the organization chose; absent: as the path says. */
  readonly toolNames?: 'dotted' | 'underscore';
  /** Scopes of the API key that carries it (kernel/key-scopes.ts): both must cover an operation. Absent: no restriction. */
  readonly keyScopes?: readonly string[];
}

/** Staff of an organization at the admin API, however they signed in. */
export type StaffCaller = KeyCaller | PersonCaller;

/** A named person or program of an organization, with an API key (docs/glossary.md). */
export interface KeyCaller {
  readonly kind: 'key';
  readonly keyId: string;
  readonly organizationId: string;
  readonly role: KeyRole;
  readonly network: string;
  /** The only operations that it may call (kernel/key-scopes.ts). Absent: all that its role may. */
  readonly scopes?: readonly string[];
}

/** A person of an organization who signed in; the only kind of caller that may approve (docs/glossary.md). */
export interface PersonCaller {
  readonly kind: 'person';
  readonly personId: string;
  readonly organizationId: string;
  readonly role: KeyRole;
  readonly network: string;
  /** When the person last proved who they are. Milliseconds. */
  readonly authenticatedAt: number;
  /** Whether a second factor or a one-time code was part of it (`amr`, RFC 8176). */
  readonly strong: boolean;
}

/** How the audit trail names a member of staff. */
export function actorOfStaff(staff: StaffCaller): { readonly actorKind: 'key' | 'person'; readonly actor: string } {
  return staff.kind === 'key'
    ? { actorKind: 'key', actor: staff.keyId }
    : { actorKind: 'person', actor: staff.personId };
}

/** The service itself: workers and the command line. */
export interface SystemCaller {
  readonly kind: 'system';
  readonly name: string;
}

export const KEY_ROLES = ['admin', 'compliance', 'auditor', 'app'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];
