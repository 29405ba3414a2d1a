import { Failure } from '../failure/failure.js';
import { LIMITS } from '../limits.js';
import type { TenantTransaction } from './unit-of-work.js';

/** Actions that need a second person. The list is closed: each has a rule for how many people stand behind it. */
export const APPROVAL_KINDS = [
  'delegation.record',
  'policy.publish',
  'retention.activate',
  'retention.run',
  'retention.standing',
  'hold.release',
  'audit.redact',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** What is to be approved. Whoever approves approves this content and no other: `contentHash` says which. */
export interface ApprovalSubject {
  readonly kind: ApprovalKind;
  /** The resource that the action is about, for example `policy/7`. */
  readonly resourceId: string;
  /** SHA-256 of the canonical content, hex. */
  readonly contentHash: string;
}

export interface ApprovalRequest extends ApprovalSubject {
  /** One line for the person who decides; ids and counts only, no customer data. */
  readonly summary: string;
  readonly requester: { readonly actorKind: string; readonly actor: string };
}

export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'used';

export interface ApprovalStatus {
  readonly approvalId: string;
  readonly state: ApprovalState;
  /** Milliseconds. */
  readonly expiresAt: number;
  /** Persons who approved, in order. */
  readonly approvers: readonly string[];
  /** How many more are needed. */
  readonly missing: number;
}

/** Port: actions that wait for people (decision record 0033). */
export interface Approvals {
  /** Asks for approval, in the transaction that drafts the action. An open request for the same subject is returned as it is. */
  request(tx: TenantTransaction, request: ApprovalRequest): Promise<ApprovalStatus>;
  /**
   * Spends the approval of exactly this subject, in the transaction that carries the action out; it cannot be spent twice.
   * Everybody is counted by what they are at this moment.
   * @throws Failure `approval.pending` while people are missing or none was asked for, `approval.denied` once a person denied it,
   *   it expired or it was spent.
   */
  spend(tx: TenantTransaction, subject: ApprovalSubject): Promise<ApprovalStatus>;
}

export const APPROVALS = Symbol('Approvals');

/**
 * The answer to an action that waits for people. @param recorded the request was committed with its audit record
 */
export function approvalPending({ approvalId, expiresAt, missing }: ApprovalStatus, recorded = false): Failure {
  return new Failure('approval.pending', {
    approval: { approvalId, expiresAt, missing },
    retryAfterMs: LIMITS.approvalPollMs.value,
    auditReason: 'people_missing',
    ...(recorded ? { recorded } : {}),
  });
}
