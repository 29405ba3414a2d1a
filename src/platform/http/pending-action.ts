import { FAILURES } from '../../kernel/failure/registry.js';
import { LIMITS } from '../../kernel/limits.js';
import type { ApprovalStatus } from '../../kernel/ports/approvals.js';
import { rfc3339 } from '../../kernel/time.js';

/** What a handler returns for an action that was drafted and waits for people: the draft is the effect, and it is kept. */
export class PendingAction {
  constructor(
    readonly draft: object,
    readonly approval: ApprovalStatus,
  ) {}
}

/** The `error` member beside a draft: the same as where an action is refused because people are missing. */
export interface PendingError {
  readonly code: 'approval_pending';
  readonly message: string;
  readonly retryable: false;
  readonly request_id: string;
  readonly retry_after_ms: number;
  readonly details: { readonly approval_id: string; readonly expires_at: string; readonly missing: number };
}

export function pendingError({ approvalId, expiresAt, missing }: ApprovalStatus, requestId: string): PendingError {
  return {
    code: 'approval_pending',
    message: FAILURES['approval.pending'].message,
    retryable: false,
    request_id: requestId,
    retry_after_ms: LIMITS.approvalPollMs.value,
    details: { approval_id: approvalId, expires_at: rfc3339(expiresAt), missing },
  };
}
