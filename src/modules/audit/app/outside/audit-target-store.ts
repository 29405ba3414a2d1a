import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { AuditTarget, TargetHealth } from '../../domain/audit-target.js';

export type StoredTarget = AuditTarget & TargetHealth;

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
  revoke(tx: TenantTransaction, targetId: string, at: number): Promise<void>;
}
