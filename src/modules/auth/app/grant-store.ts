import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { GrantRecord, GroupDelegation } from '../domain/grant-record.js';

/** A grant version to be stored; its delegation is named, not copied. */
export interface NewGrant extends Omit<GrantRecord, 'delegation' | 'revokedAt'> {
  readonly delegationId: string | null;
}

/** Port: keeps the grants and group delegations of one organization. Nothing in it is ever changed, only revoked. */
export interface GrantStore {
  insert(tx: TenantTransaction, grant: NewGrant): Promise<void>;
  /** The newest version. */
  find(tx: TenantTransaction, grantId: string): Promise<GrantRecord | undefined>;
  /** The newest version of each grant, by id. */
  list(tx: TenantTransaction): Promise<readonly GrantRecord[]>;
  /** Ends all versions. @returns how many were still open. */
  revoke(tx: TenantTransaction, grantId: string, at: number): Promise<number>;
  insertDelegation(tx: TenantTransaction, delegation: GroupDelegation): Promise<void>;
  findDelegation(tx: TenantTransaction, delegationId: string): Promise<GroupDelegation | undefined>;
  listDelegations(tx: TenantTransaction): Promise<readonly GroupDelegation[]>;
  /** @returns how many were still open. */
  revokeDelegation(tx: TenantTransaction, delegationId: string, at: number): Promise<number>;
}
