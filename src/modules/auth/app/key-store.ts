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
  /** When its successor stands alone; null while it has none. */
  readonly retiresAt: number | null;
  /** The only operations that it may call (kernel/key-scopes.ts); empty: all that its role or grant allows. */
  readonly scopes: readonly string[];
  /** CIDR ranges that it may be used from; empty: from everywhere. */
  readonly networks: readonly string[];
  /** Whether its organization is served: keys of one that is suspended or off-boarded open nothing. */
  readonly organizationServed: boolean;
}

/** Port: finds a key before its organization is known. */
export interface KeyDirectory {
  /** @throws Failure `upstream.unavailable` or `limit.busy` when the store does not answer. */
  find(keyId: string): Promise<StoredKey | undefined>;
}

/** A key to be stored, with who issued it and whose place it takes. */
export interface KeyToStore extends Omit<StoredKey, 'revokedAt' | 'retiresAt' | 'organizationServed'> {
  readonly author: string;
  readonly replaces: string | null;
  /** Milliseconds. */
  readonly createdAt: number;
}

/** A key as staff see it. Times are milliseconds. */
export interface KeyEntry extends Omit<StoredKey, 'secretHash' | 'organizationServed' | 'organizationId'> {
  /** Counts changes of name and networks. */
  readonly version: number;
  readonly replaces: string | null;
  readonly createdAt: number;
  /** To the minute. */
  readonly lastUsedAt: number | null;
}

/** What may change of a key. The rest needs another key. */
export type KeyChange = Pick<KeyEntry, 'name' | 'networks'>;

/** Port: keeps the keys of one organization. */
export interface KeyStore {
  insert(tx: TenantTransaction, key: KeyToStore): Promise<void>;
  /** Kept as it is until the transaction ends when it is asked for to be changed. */
  find(tx: TenantTransaction, keyId: string, purpose: 'read' | 'change'): Promise<KeyEntry | undefined>;
  /** By id, those after `after`. */
  list(tx: TenantTransaction, page: { readonly after?: string; readonly limit: number }): Promise<readonly KeyEntry[]>;
  /** Puts the next version of name and networks in force and keeps it. */
  change(tx: TenantTransaction, key: KeyEntry, change: KeyChange, author: string, at: number): Promise<void>;
  /** Says when the successor of a key stands alone. */
  retire(tx: TenantTransaction, keyId: string, at: number): Promise<void>;
  /** @returns the role of the key, undefined when the organization has no such key. A key revoked before stays as it was. */
  revoke(tx: TenantTransaction, keyId: string, at: number): Promise<KeyRole | undefined>;
}
