import type { KeyRole } from '../../../kernel/caller.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** A key as it is kept: no secret, only its keyed hash. Times are milliseconds since the Unix epoch. */
export interface StoredKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly role: KeyRole;
  readonly secretHash: Uint8Array;
  /** What an agent's key carries; null for staff. */
  readonly grantId: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** Port: finds a key before its organization is known. */
export interface KeyDirectory {
  /** @throws Failure `upstream.unavailable` or `limit.busy` when the store does not answer. */
  find(keyId: string): Promise<StoredKey | undefined>;
}

/** Port: keeps the keys of one organization. */
export interface KeyStore {
  insert(tx: TenantTransaction, key: Omit<StoredKey, 'revokedAt'>): Promise<void>;
  /** @returns the role of the key, undefined when the organization has no such key. A key revoked before stays as it was. */
  revoke(tx: TenantTransaction, keyId: string, at: number): Promise<KeyRole | undefined>;
}
