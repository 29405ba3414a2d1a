export type RevocableKind = 'key' | 'grant' | 'delegation' | 'agent_client' | 'person' | 'issuer';

/**
 * Port: what was ended, known in every process within two seconds and apart from all other knowledge, so that no older
 * answer brings it back. Costs no I/O.
 */
export interface Revocations {
  /** When it ends or ended, in milliseconds; undefined for what was not revoked lately. */
  endOf(kind: RevocableKind, organizationId: string, id: string): number | undefined;
}

export const REVOCATIONS = Symbol('Revocations');

/** For parts that are put together without it. */
export const NOTHING_REVOKED: Revocations = { endOf: () => undefined };
