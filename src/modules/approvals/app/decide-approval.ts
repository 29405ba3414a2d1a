import type { PersonCaller, StaffCaller } from '../../../kernel/caller.js';
import { changeHashes, type ChangeHashes } from '../../../kernel/change-hashes.js';
import { Failure, type FailureReason } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import type { StaffRoster } from '../../staff/index.js';
import { type ApprovalRecord, endOf } from '../domain/approval-record.js';
import { APPROVAL_RULES, type PersonRole, refusalOfApprover } from '../domain/approval-rules.js';
import type { ApprovalStore } from './approval-store.js';
import type { AssessApproval, AssessedApproval } from './assess-approval.js';

/** A yes to the content that the person has seen, or a no with its reason. */
export type RequestedDecision =
  | { readonly decision: 'approve'; readonly contentHash: string }
  | { readonly decision: 'deny'; readonly reason: string };

export interface DecideApprovalParts {
  readonly unitOfWork: UnitOfWork;
  readonly store: ApprovalStore;
  readonly roster: StaffRoster;
  readonly assess: AssessApproval;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

/** Use case: a person approves or denies what somebody else asked for. */
export class DecideApproval {
  constructor(private readonly parts: DecideApprovalParts) {}

  /**
   * @throws Failure `caller.role_forbidden` for keys, for one's own request, without a recent strong sign-in or the role that the
   *   kind asks for; `resource.not_found`; `approval.denied` for an approval that has ended;
   *   `input.precondition` for other content than the approval's.
   */
  run(
    caller: StaffCaller,
    approvalId: string,
    requested: RequestedDecision,
    origin: ChangeOrigin,
  ): Promise<AssessedApproval> {
    const person = personOf(caller);
    const { unitOfWork, store, clock, assess } = this.parts;
    this.requireRecentSignIn(person);
    return unitOfWork.withTenant(person.organizationId, async (tx) => {
      const approval = await store.lock(tx, approvalId);
      if (approval === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const now = clock.now();
      const end = endOf(approval, now);
      if (end !== undefined) throw new Failure('approval.denied', { auditReason: `approval_${end}` });
      if (requested.decision === 'approve' && requested.contentHash !== approval.contentHash)
        throw new Failure('input.precondition', { reason: 'precondition_failed', auditReason: 'other_content' });
      const role = await this.roleOf(tx, approval, person.personId);
      const reason = requested.decision === 'deny' ? requested.reason : null;
      const { decision } = requested;
      const { personId, authenticatedAt } = person;
      const before = await this.viewOf(tx, approval);
      await store.insertDecision(tx, approval, { personId, decision, role, reason, authenticatedAt, decidedAt: now });
      if (decision === 'deny') await store.end(tx, approvalId, 'denied', now);
      const decided: ApprovalRecord = decision === 'deny' ? { ...approval, outcome: 'denied', endedAt: now } : approval;
      await this.record(tx, origin, approval, decision, changeHashes(before, await this.viewOf(tx, decided)));
      return assess.run(tx, decided);
    });
  }

  /** What a decision changes: the approval with who decided what. */
  private async viewOf(tx: TenantTransaction, approval: ApprovalRecord): Promise<object> {
    return { approval, decisions: await this.parts.store.decisions(tx, approval.approvalId) };
  }

  private requireRecentSignIn({ strong, authenticatedAt }: PersonCaller): void {
    const age = this.parts.clock.now() - authenticatedAt;
    const recent = age <= LIMITS.approvalSignInSeconds.value * 1000;
    if (!strong) throw refused('sign_in_again', 'sign_in_weak');
    if (!recent) throw refused('sign_in_again', 'sign_in_old');
  }

  /** The role that the person decides in. */
  private async roleOf(tx: TenantTransaction, approval: ApprovalRecord, personId: string): Promise<PersonRole> {
    const { actorKind, actor } = approval.requester;
    const standing = await this.parts.roster.standing(tx, actorKind === 'person' ? [personId, actor] : [personId]);
    const person = standing.find((one) => one.personId === personId);
    const requester = { actorKind, actor, standing: standing.find((one) => one.personId === actor) };
    const refusal = refusalOfApprover(APPROVAL_RULES[approval.kind], requester, person);
    if (refusal !== undefined || person?.role == null)
      throw refused(refusal === 'own_request' ? refusal : 'not_an_approver', refusal ?? 'not_an_approver');
    return person.role;
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    { approvalId, kind, resourceId, contentHash }: ApprovalRecord,
    decision: 'approve' | 'deny',
    hashes: ChangeHashes,
  ): Promise<void> {
    return this.parts.audit.recordInTransaction(tx, {
      ...origin,
      ...hashes,
      occurredAt: this.parts.clock.now(),
      organizationId: tx.organizationId,
      operation: `approvals.${decision}`,
      profile: null,
      rooftopIds: [],
      resourceIds: [approvalId, kind, resourceId, `sha256:${contentHash}`],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
    });
  }
}

/** @throws Failure `caller.role_forbidden`: programs never approve (decision record 0033). */
function personOf(caller: StaffCaller): PersonCaller {
  if (caller.kind !== 'person') throw refused('person_required', 'keys_never_approve');
  return caller;
}

const refused = (reason: FailureReason, auditReason: string): Failure =>
  new Failure('caller.role_forbidden', { reason, auditReason });
