import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { NoticeTarget, TargetHealth } from '../domain/notice-target.js';

export type StoredNoticeTarget = NoticeTarget & TargetHealth;

/** Port: keeps where the notices of one organization are sent. */
export interface NoticeTargetStore {
  insert(tx: TenantTransaction, target: NoticeTarget): Promise<void>;
  find(tx: TenantTransaction, targetId: string): Promise<StoredNoticeTarget | undefined>;
  /** By id, revoked ones included, those behind `after`. */
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredNoticeTarget[]>;
  /** Those that have not been revoked. */
  active(tx: TenantTransaction): Promise<readonly NoticeTarget[]>;
  /** Also drops what was still to be sent there. What was revoked before stays as it was. */
  revoke(tx: TenantTransaction, targetId: string, at: number): Promise<void>;
}
