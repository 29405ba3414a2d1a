import type { ApprovalKind, ApprovalState } from '../../../kernel/ports/approvals.js';

/** An approval as kept. Times are milliseconds. */
export interface ApprovalRecord {
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  readonly resourceId: string;
  readonly contentHash: string;
  readonly summary: string;
  readonly requester: { readonly actorKind: string; readonly actor: string };
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** Null while it is open. */
  readonly outcome: 'denied' | 'expired' | 'used' | null;
  readonly endedAt: number | null;
}

/** What one person decided. Times are milliseconds. */
export interface DecisionRecord {
  readonly personId: string;
  readonly decision: 'approve' | 'deny';
  readonly role: string;
  /** Of a denial. */
  readonly reason: string | null;
  readonly authenticatedAt: number;
  readonly decidedAt: number;
}

/** How an approval has ended; undefined while it is open. */
export function endOf({ outcome, expiresAt }: ApprovalRecord, now: number): 'denied' | 'expired' | 'used' | undefined {
  return outcome ?? (expiresAt <= now ? 'expired' : undefined);
}

/** The state of an approval that this many people are missing for. */
export const stateOf = (approval: ApprovalRecord, missing: number, now: number): ApprovalState =>
  endOf(approval, now) ?? (missing === 0 ? 'approved' : 'pending');
