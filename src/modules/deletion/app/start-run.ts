import type { ApprovalStatus } from '../../../kernel/ports/approvals.js';
import { approvalPending, type Approvals } from '../../../kernel/ports/approvals.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { ChangeOrigin } from '../../audit/index.js';
import { goingBy, type RunPreview } from '../domain/run-preview.js';
import type { PreviewedRun, RetentionRun } from './retention-run.js';
import { enqueueRun, outdated, present, type RunParts, stillInForce } from './run-parts.js';

/** Use case: carries a previewed run out, once two people approved exactly its preview. */
export class StartRun {
  constructor(
    private readonly parts: Pick<RunParts, 'unitOfWork' | 'store' | 'rules' | 'audit' | 'queue'>,
    private readonly approvals: Approvals,
  ) {}

  /**
   * While people are missing it is asked for, in the name of who drafted the run, and calling again once they approved carries it out.
   * @throws Failure `approval.pending`, `approval.denied`; `resource.not_found`; `input.precondition` for a run that is not
   *   previewed, whose preview is older than a day, or whose policy is not in force any more.
   */
  async run(organizationId: string, runId: string, origin: ChangeOrigin): Promise<RetentionRun> {
    const outcome = await this.parts.unitOfWork.withTenant(organizationId, (tx) => this.begin(tx, runId, origin));
    if ('approvalId' in outcome) throw approvalPending(outcome, true);
    await enqueueRun(this.parts.queue, organizationId, runId);
    return outcome;
  }

  private async begin(
    tx: TenantTransaction,
    runId: string,
    origin: ChangeOrigin,
  ): Promise<RetentionRun | ApprovalStatus> {
    const { store, audit } = this.parts;
    const run = present(await store.lock(tx, runId));
    const previewed = await this.approvable(tx, run);
    const { policy, previewHash, preview } = previewed;
    const subject = { kind: 'retention.run', resourceId: `retention-run/${runId}`, contentHash: previewHash } as const;
    const asked = await this.approvals.request(tx, {
      ...subject,
      summary: `${goingOf(preview)} under policy ${policy.policyId} version ${policy.version}: run ${runId}`,
      requester: run.requester,
    });
    const step = {
      operation: 'retention.runs.start',
      resourceIds: [runId, asked.approvalId, `sha256:${previewHash}`],
      policyVersion: `${policy.policyId}@${policy.version}`,
    };
    if (asked.state !== 'approved') {
      const state = { state: run.state }; // what there is stays as it is
      await audit.record(tx, origin, { ...step, reason: 'approval_requested', before: state, after: state });
      return asked;
    }
    const { approvalId, approvers } = await this.approvals.spend(tx, subject);
    await store.approve(tx, runId, approvalId, approvers);
    await audit.record(tx, origin, {
      ...step,
      before: { state: 'previewed' },
      after: { state: 'approved', approvers },
    });
    return present(await store.find(tx, runId));
  }

  private async approvable(tx: TenantTransaction, run: RetentionRun): Promise<PreviewedRun> {
    const { state, previewed } = run;
    if (state !== 'previewed' || previewed === undefined) throw outdated(`run_${state}`);
    if ((await this.parts.store.now(tx)) >= previewed.expiresAt) throw outdated('preview_expired');
    if ((await stillInForce(this.parts.rules, tx, run, previewed)) === undefined) throw outdated('policy_changed');
    return previewed;
  }
}

/** What people are asked to approve, in words. */
function goingOf(preview: RunPreview): string {
  const going = Object.entries({ ...(preview.parts.length === 0 ? { delete: 0 } : {}), ...goingBy(preview) });
  const words = going.map(([action, records]) => `${action} ${records}`).join(', ');
  const tables = new Set(preview.parts.map(({ part }) => part)).size;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} record(s) of ${tables} table(s)`;
}
