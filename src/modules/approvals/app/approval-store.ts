import type { ApprovalSubject } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ApprovalRecord, DecisionRecord } from '../domain/approval-record.js';

/** Which approvals a list shows: those that wait, those that have ended, or all. */
export const LISTED_STATES = ['open', 'denied', 'expired', 'used'] as const;
export type ListedState = (typeof LISTED_STATES)[number];

export interface ApprovalPage {
  readonly state?: ListedState;
  /** The last id of the page before. */
  readonly before?: string;
  readonly limit: number;
}

/** Port: keeps the approvals of one organization. An approval ends once; decisions are only added. */
export interface ApprovalStore {
  /** Ends open requests for this subject whose time is over. */
  endExpired(tx: TenantTransaction, subject: ApprovalSubject, now: number): Promise<void>;
  /** Nothing happens where an open request for the subject is there already. */
  insertOpen(tx: TenantTransaction, approval: ApprovalRecord): Promise<void>;
  /** The open one of exactly this subject, else the newest. Nobody else can decide or spend it before the transaction ends. */
  lockNewest(tx: TenantTransaction, subject: ApprovalSubject): Promise<ApprovalRecord | undefined>;
  /** As {@link lockNewest}. */
  lock(tx: TenantTransaction, approvalId: string): Promise<ApprovalRecord | undefined>;
  find(tx: TenantTransaction, approvalId: string): Promise<ApprovalRecord | undefined>;
  /** Newest first. */
  list(tx: TenantTransaction, page: ApprovalPage, now: number): Promise<readonly ApprovalRecord[]>;
  /** In the order in which they were made. */
  decisions(tx: TenantTransaction, approvalId: string): Promise<readonly DecisionRecord[]>;
  /** Nothing happens where the person decided the same before. */
  insertDecision(tx: TenantTransaction, approval: ApprovalRecord, decision: DecisionRecord): Promise<void>;
  /** @returns false when it had ended already. */
  end(tx: TenantTransaction, approvalId: string, outcome: 'denied' | 'used', at: number): Promise<boolean>;
}
