import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { DropReason, NoticeDelivery, NoticeStep } from '../domain/notice-delivery.js';
import type { NoticeTarget } from '../domain/notice-target.js';

/** Port: messages that are to be sent, written in the transaction of what they tell. */
export interface NoticeOutbox {
  add(tx: TenantTransaction, step: NoticeStep, targetIds: readonly string[], at: number): Promise<void>;
  /** Those of some notices, oldest first. */
  ofNotices(tx: TenantTransaction, noticeIds: readonly string[]): Promise<readonly NoticeDelivery[]>;
}

export interface DueNoticeTarget {
  readonly organizationId: string;
  readonly targetId: string;
}

/** A target as a job sends to it. Nobody else does until the lease is over. */
export type ClaimedNoticeTarget = Pick<NoticeTarget, 'targetId' | 'kind' | 'address'> & { readonly failures: number };

/** Port: what the job knows of messages and notes about them. Times are milliseconds. */
export interface NoticeProgress {
  /** Targets of every organization that have something to be sent. */
  due(now: number, limit: number): Promise<readonly DueNoticeTarget[]>;
  /** @returns undefined while somebody else sends to it, it is not its time, or it was revoked. */
  claim(
    tx: TenantTransaction,
    targetId: string,
    now: number,
    leaseMs: number,
  ): Promise<ClaimedNoticeTarget | undefined>;
  /** The message that waits: one that was never attempted, else the one whose attempt is longest ago. */
  next(tx: TenantTransaction, targetId: string): Promise<NoticeDelivery | undefined>;
  /** Counts an attempt before it is made. */
  attempt(tx: TenantTransaction, delivery: NoticeDelivery, now: number): Promise<NoticeDelivery>;
  /** @returns the message, undefined where that was noted before. */
  arrived(tx: TenantTransaction, delivery: NoticeDelivery, now: number): Promise<NoticeDelivery | undefined>;
  failed(tx: TenantTransaction, delivery: NoticeDelivery, problem: string): Promise<void>;
  /** @returns the message, undefined where it has ended already. */
  drop(
    tx: TenantTransaction,
    delivery: NoticeDelivery,
    reason: DropReason,
    now: number,
  ): Promise<NoticeDelivery | undefined>;
  /** Gives the target back. `problem`: why the last attempt failed; null: it did not. */
  rest(
    tx: TenantTransaction,
    targetId: string,
    until: { readonly nextAt: number; readonly problem: string | null; readonly deliveredAt?: number },
  ): Promise<void>;
}
