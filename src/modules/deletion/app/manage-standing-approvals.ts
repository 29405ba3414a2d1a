import { newStandingApprovalId } from '../../../kernel/ids.js';
import { approvalPending, type Approvals, type ApprovalStatus } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { RulesInForce } from '../../retention/index.js';
import {
  type StandingApproval,
  type StandingContent,
  standingHashOf,
  type StandingState,
  standingStateOf,
} from '../domain/standing-approval.js';
import { outdated, present, type RunParts } from './run-parts.js';
import type { StandingApprovalStore, StandingPage } from './standing-approval-store.js';

const DAY_MS = 86_400_000;

export interface RequestedStanding {
  readonly categories: readonly string[];
  readonly recordCap: number;
  readonly days: number;
  readonly reason: string;
}

/** A standing approval, and what it is at this moment. */
export interface StandingNow {
  readonly standing: StandingApproval;
  readonly state: StandingState;
}

/** Use cases: standing approvals of the daily sweep (decision record 0061). */
export class ManageStandingApprovals {
  constructor(
    private readonly parts: Pick<RunParts, 'unitOfWork' | 'store' | 'rules' | 'audit'>,
    private readonly standings: StandingApprovalStore,
    private readonly approvals: Approvals,
  ) {}

  /** Bound to the policy version in force. Nothing is swept before two people approved it. @throws Failure `input.precondition` without a policy */
  draft(
    organizationId: string,
    { days, ...said }: RequestedStanding,
    { actorKind, actor, ...origin }: ChangeOrigin & { readonly actor: string },
  ): Promise<StandingNow> {
    return this.in(organizationId, async (tx) => {
      const policy = policyOf(await this.parts.rules.inForce(tx));
      if (policy === undefined) throw outdated('no_policy');
      const requestedAt = await this.parts.store.now(tx);
      const bound = { organizationId, standingId: newStandingApprovalId(), policy, requestedAt };
      const content: StandingContent = {
        ...{ ...bound, ...said, requester: { actorKind, actor }, expiresAt: requestedAt + days * DAY_MS },
      };
      await this.standings.add(tx, content, standingHashOf(content));
      const after = await this.read(tx, content.standingId);
      await this.record(tx, { ...origin, actorKind, actor }, 'create', undefined, after.standing);
      return after;
    });
  }

  /** Newest first. */
  list(organizationId: string, page: StandingPage): Promise<readonly StandingNow[]> {
    return this.in(organizationId, async (tx) => {
      const found = await this.standings.list(tx, page);
      return Promise.all(found.map((standing) => this.atPresent(tx, standing)));
    });
  }

  /** @throws Failure `resource.not_found` */
  get(organizationId: string, standingId: string): Promise<StandingNow> {
    return this.in(organizationId, (tx) => this.read(tx, standingId));
  }

  /**
   * While people are missing it is asked for, in the name of who drafted it, and calling again once they approved puts it in force.
   * @throws Failure `approval.pending`, `approval.denied`; `resource.not_found`; `input.precondition` for one that is no draft, or
   *   whose policy is not in force any more.
   */
  async activate(organizationId: string, standingId: string, origin: ChangeOrigin): Promise<StandingNow> {
    const outcome = await this.in(organizationId, async (tx): Promise<StandingNow | ApprovalStatus> => {
      const { standing, state } = await this.atPresent(tx, present(await this.standings.lock(tx, standingId)));
      if (state !== 'draft') throw outdated(`standing_${state}`);
      const { contentHash, recordCap, categories, policy, requester } = standing;
      const subject = {
        kind: 'retention.standing',
        resourceId: `standing-approval/${standingId}`,
        contentHash,
      } as const;
      const most = `up to ${recordCap} record(s) a run of ${categories.join(', ')}`;
      const summary = `Every day ${most} under policy ${policy.policyId} version ${policy.version}: ${standingId}`;
      const asked = await this.approvals.request(tx, { ...subject, summary: summary.slice(0, 500), requester });
      if (asked.state !== 'approved') {
        await this.record(tx, origin, 'activate', standing, standing, 'approval_requested');
        return asked;
      }
      const { approvalId, approvers } = await this.approvals.spend(tx, subject);
      await this.standings.approve(tx, standingId, approvalId, approvers);
      const after = await this.read(tx, standingId);
      await this.record(tx, origin, 'activate', standing, after.standing);
      return after;
    });
    if ('approvalId' in outcome) throw approvalPending(outcome, true);
    return outcome;
  }

  /**
   * One person is enough to end it: the run under way stops at its next batch. Saying so again changes nothing.
   * @throws Failure `resource.not_found`
   */
  revoke(
    organizationId: string,
    standingId: string,
    origin: ChangeOrigin & { readonly actor: string },
  ): Promise<StandingNow> {
    return this.in(organizationId, async (tx) => {
      const standing = present(await this.standings.lock(tx, standingId));
      if (standing.revoked === undefined) await this.standings.revoke(tx, standingId, origin.actor);
      const after = await this.read(tx, standingId);
      await this.record(tx, origin, 'revoke', standing, after.standing);
      return after;
    });
  }

  private async read(tx: TenantTransaction, standingId: string): Promise<StandingNow> {
    return this.atPresent(tx, present(await this.standings.find(tx, standingId)));
  }

  private async atPresent(tx: TenantTransaction, standing: StandingApproval): Promise<StandingNow> {
    const { rules, store } = this.parts;
    const state = standingStateOf(standing, policyOf(await rules.inForce(tx)), await store.now(tx));
    return { standing, state };
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    step: 'create' | 'activate' | 'revoke',
    before: StandingApproval | undefined,
    after: StandingApproval,
    reason?: string,
  ): Promise<void> {
    const { policyId, version } = after.policy;
    return this.parts.audit.record(tx, origin, {
      operation: `retention.standing_approvals.${step}`,
      resourceIds: [after.standingId, `sha256:${after.contentHash}`],
      policyVersion: `${policyId}@${version}`,
      before: before ?? null,
      after,
      ...(reason === undefined ? {} : { reason }),
    });
  }

  private in<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.parts.unitOfWork.withTenant(organizationId, work);
  }
}

/** The policy version that is in force. */
export function policyOf(rules: RulesInForce | undefined): StandingContent['policy'] | undefined {
  if (rules === undefined) return undefined;
  const { policyId, version, contentHash } = rules.policy;
  return { policyId, version, contentHash };
}
