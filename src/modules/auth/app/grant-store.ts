import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { GrantRecord, GroupDelegation } from '../domain/grant-record.js';

/** A grant version to be stored; its delegation is named, not copied. */
export interface NewGrant extends Omit<GrantRecord, 'delegation' | 'revokedAt'> {
  readonly delegationId: string | null;
}

/** Entries by id, those behind `after`. */
export interface GrantPage {
  readonly after?: string;
  readonly limit: number;
}

/** Port: keeps the grants and group delegations of one organization. Nothing in it is ever changed, only revoked. */
export interface GrantStore {
  insert(tx: TenantTransaction, grant: NewGrant): Promise<void>;
  /** The newest version; no other change of the grant goes on until the transaction ends when it is asked for to be changed. */
  find(tx: TenantTransaction, grantId: string, purpose?: 'read' | 'change'): Promise<GrantRecord | undefined>;
  /** The newest version of each grant, by id; all of them without a page. */
  list(tx: TenantTransaction, page?: GrantPage): Promise<readonly GrantRecord[]>;
  /** Ends all versions. @returns how many were still open. */
  revoke(tx: TenantTransaction, grantId: string, at: number): Promise<number>;
  insertDelegation(tx: TenantTransaction, delegation: GroupDelegation): Promise<void>;
  findDelegation(
    tx: TenantTransaction,
    delegationId: string,
    purpose?: 'read' | 'change',
  ): Promise<GroupDelegation | undefined>;
  /** Puts a draft in force. @returns how many were drafts. */
  putDelegationInForce(tx: TenantTransaction, delegationId: string, at: number): Promise<number>;
  /** By id. */
  listDelegations(tx: TenantTransaction, page: GrantPage): Promise<readonly GroupDelegation[]>;
  /** @returns how many were still open. */
  revokeDelegation(tx: TenantTransaction, delegationId: string, at: number): Promise<number>;
}
