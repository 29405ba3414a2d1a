import type { ApprovalStatus } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { StaffRoster } from '../../staff/index.js';
import { type ApprovalRecord, type DecisionRecord, stateOf } from '../domain/approval-record.js';
import { APPROVAL_RULES, missingPeople, type Requester } from '../domain/approval-rules.js';
import type { ApprovalStore } from './approval-store.js';

/** An approval with who decided what, and how it stands. */
export interface AssessedApproval {
  readonly approval: ApprovalRecord;
  readonly decisions: readonly DecisionRecord[];
  readonly status: ApprovalStatus;
}

/** Counts the people behind an approval by what they are now, not by what they were when they decided. */
export class AssessApproval {
  constructor(
    private readonly store: ApprovalStore,
    private readonly roster: StaffRoster,
    private readonly clock: Clock,
  ) {}

  async run(tx: TenantTransaction, approval: ApprovalRecord): Promise<AssessedApproval> {
    const decisions = await this.store.decisions(tx, approval.approvalId);
    const approvers = decisions.filter(({ decision }) => decision === 'approve').map(({ personId }) => personId);
    const standing = await this.roster.standing(tx, [...approvers, ...personsOf(approval)]);
    const requester: Requester = {
      ...approval.requester,
      standing: standing.find(({ personId }) => personsOf(approval).includes(personId)),
    };
    const counted = standing.filter(({ personId }) => approvers.includes(personId));
    const missing = missingPeople(APPROVAL_RULES[approval.kind], requester, counted);
    const { approvalId, expiresAt } = approval;
    const state = stateOf(approval, missing, this.clock.now());
    return { approval, decisions, status: { approvalId, state, expiresAt, approvers, missing } };
  }
}

const personsOf = ({ requester }: ApprovalRecord): readonly string[] =>
  requester.actorKind === 'person' ? [requester.actor] : [];
