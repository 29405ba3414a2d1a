import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { StandingApproval, StandingContent } from '../domain/standing-approval.js';
import type { DraftedRun } from './run-store.js';

export interface StandingPage {
  /** The last id of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** Port: keeps standing approvals, and the runs that the sweep asks for under them. */
export interface StandingApprovalStore {
  add(tx: TenantTransaction, content: StandingContent, contentHash: string): Promise<void>;
  find(tx: TenantTransaction, standingId: string): Promise<StandingApproval | undefined>;
  /** As {@link find}; nobody else changes it before the transaction ends. */
  lock(tx: TenantTransaction, standingId: string): Promise<StandingApproval | undefined>;
  /** Newest first. */
  list(tx: TenantTransaction, page: StandingPage): Promise<readonly StandingApproval[]>;
  /** Approved by people, with the approval that was just spent. */
  approve(tx: TenantTransaction, standingId: string, approvalId: string, approvers: readonly string[]): Promise<void>;
  revoke(tx: TenantTransaction, standingId: string, by: string): Promise<void>;

  /** Standing approvals of every organization whose sweep of today (UTC, by the database's clock) is to come. */
  due(most: number): Promise<readonly { readonly organizationId: string; readonly standingId: string }[]>;
  /** Takes the sweep of today. @returns false where somebody else has taken it */
  takeToday(tx: TenantTransaction, standingId: string): Promise<boolean>;
  addRun(tx: TenantTransaction, draft: DraftedRun, standingId: string): Promise<void>;
  /** Runs of sweeps that are previewed and of which nobody has decided, of every organization. */
  previewed(most: number): Promise<readonly { readonly organizationId: string; readonly runId: string }[]>;
  /** From now on a run waits for people, like any other. @param reason a code */
  leaveToPeople(tx: TenantTransaction, runId: string, reason: string): Promise<void>;
}
