import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { HoldNotice } from '../domain/hold-notice.js';

export interface NoticePage {
  /** The last id of the page before. */
  readonly before?: string;
  readonly limit: number;
}

/** Port: keeps the notices of holds. What a notice said, to whom and when, never changes. */
export interface NoticeStore {
  insert(tx: TenantTransaction, notice: HoldNotice): Promise<void>;
  find(tx: TenantTransaction, noticeId: string): Promise<HoldNotice | undefined>;
  /** Nobody else can change it before the transaction ends. */
  lock(tx: TenantTransaction, noticeId: string): Promise<HoldNotice | undefined>;
  /** Keeps its progress: when it is due, reminders, escalation, acknowledgement. */
  update(tx: TenantTransaction, notice: HoldNotice): Promise<void>;
  /** Newest first. */
  list(
    tx: TenantTransaction,
    of: { readonly holdId: string } | { readonly personId: string },
    page: NoticePage,
  ): Promise<readonly HoldNotice[]>;
}

/** Port: notices whose next step is due, of every organization. */
export interface DueNotices {
  due(now: number, limit: number): Promise<readonly { readonly organizationId: string; readonly noticeId: string }[]>;
}
