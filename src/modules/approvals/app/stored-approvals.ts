import { Failure } from '../../../kernel/failure/failure.js';
import { newApprovalId } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import {
  approvalPending,
  type ApprovalRequest,
  type Approvals,
  type ApprovalStatus,
  type ApprovalSubject,
} from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { endOf } from '../domain/approval-record.js';
import type { ApprovalStore } from './approval-store.js';
import type { AssessApproval } from './assess-approval.js';

/** Asks for approvals and spends them, each in the transaction of the action that needs one. */
export class StoredApprovals implements Approvals {
  constructor(
    private readonly store: ApprovalStore,
    private readonly assess: AssessApproval,
    private readonly clock: Clock,
  ) {}

  async request(tx: TenantTransaction, request: ApprovalRequest): Promise<ApprovalStatus> {
    const { kind, resourceId, contentHash, summary, requester } = request;
    const subject = { kind, resourceId, contentHash };
    const now = this.clock.now();
    await this.store.endExpired(tx, subject, now);
    await this.store.insertOpen(tx, {
      ...subject,
      approvalId: newApprovalId(),
      summary,
      requester,
      requestedAt: now,
      expiresAt: now + LIMITS.approvalSeconds.value * 1000,
      outcome: null,
      endedAt: null,
    });
    const open = await this.store.lockNewest(tx, subject);
    // Another transaction carried the action out between the two statements.
    if (open === undefined || endOf(open, now) !== undefined)
      throw new Failure('state.conflict', { auditReason: 'approval_ended_meanwhile' });
    return (await this.assess.run(tx, open)).status;
  }

  async spend(tx: TenantTransaction, { kind, resourceId, contentHash }: ApprovalSubject): Promise<ApprovalStatus> {
    const approval = await this.store.lockNewest(tx, { kind, resourceId, contentHash });
    if (approval === undefined) throw new Failure('approval.pending', { auditReason: 'approval_missing' });
    const now = this.clock.now();
    const end = endOf(approval, now);
    if (end !== undefined) throw new Failure('approval.denied', { auditReason: `approval_${end}` });
    const { status } = await this.assess.run(tx, approval);
    if (status.state !== 'approved') throw approvalPending(status);
    if (!(await this.store.end(tx, status.approvalId, 'used', now)))
      throw new Failure('approval.denied', { auditReason: 'approval_used' });
    return { ...status, state: 'used' };
  }
}
