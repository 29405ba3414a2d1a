import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { AuditTarget, TargetHealth } from '../../domain/audit-target.js';

export type StoredTarget = AuditTarget & TargetHealth;

/** What can be changed of a target. Another kind, or another key of a witness, is another target. */
export type TargetChange = Pick<AuditTarget, 'address' | 'timeZone'>;

/** Port: keeps the audit targets of one organization. */
export interface AuditTargetStore {
  insert(tx: TenantTransaction, target: AuditTarget): Promise<void>;
  find(tx: TenantTransaction, targetId: string): Promise<StoredTarget | undefined>;
  /** By id, revoked ones included, those behind `after`. */
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredTarget[]>;
  /** Those that have not been revoked. */
  count(tx: TenantTransaction): Promise<number>;
  /** What is to be sent is sent there at once. @returns false where another version than `before` is in force, or it was revoked. */
  change(tx: TenantTransaction, before: AuditTarget, next: TargetChange, at: number): Promise<boolean>;
  /**
   * The next secret is in use from now on, and the one before until then.
   * @returns false as `change` does
   */
  rotate(tx: TenantTransaction, before: AuditTarget, previousSecretUntil: number | null): Promise<boolean>;
  revoke(tx: TenantTransaction, targetId: string, at: number): Promise<void>;
}
