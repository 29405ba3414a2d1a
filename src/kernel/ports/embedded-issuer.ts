import type { JSONWebKeySet } from 'jose';

/**
 * Port: the authorization server that runs in this service, where it does. Its tokens are verified like those of any other
 * issuer; only its keys need no fetch.
 */
export interface EmbeddedIssuer {
  /** Issuer identifier (RFC 8414 §2), without a trailing slash. */
  readonly issuer: string;
  /** Public keys that sign its tokens, the one before the last rotation included. */
  keys(): Promise<JSONWebKeySet>;
}

export const EMBEDDED_ISSUER = Symbol('EmbeddedIssuer');
