import { randomBytes } from 'node:crypto';
import { newRetentionRunId } from '../../../kernel/ids.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { brakeOnPreview } from '../domain/brake.js';
import { refusalOfRun, type StandingApproval } from '../domain/standing-approval.js';
import type { BeginRun } from './begin-run.js';
import { policyOf } from './manage-standing-approvals.js';
import type { RetentionRun } from './retention-run.js';
import { byWorker } from './run-audit.js';
import { enqueueRun, present, type RunParts, stillInForce } from './run-parts.js';
import type { StandingApprovalStore } from './standing-approval-store.js';
import type { WatchClocks } from './watch-clocks.js';

const AT_ONCE = 200;

/**
 * Use case of workers: asks once a day for a run under each standing approval, and lets it go on when its preview is within what was
 * approved and the brake and the clocks are quiet; else it waits for two people like any other run. Each step is one transaction
 * that finds the work still to be done: called by several processes, or again after a crash, it does it once.
 */
export class SweepDaily {
  constructor(
    private readonly parts: RunParts,
    private readonly standings: StandingApprovalStore,
    private readonly braking: Pick<BeginRun, 'brakeSettings'>,
    private readonly clocks: () => WatchClocks,
  ) {}

  async run(): Promise<void> {
    for (const { organizationId, standingId } of await this.standings.due(AT_ONCE))
      await this.ask(organizationId, standingId);
    for (const { organizationId, runId } of await this.standings.previewed(AT_ONCE))
      await this.decide(organizationId, runId);
  }

  private async ask(organizationId: string, standingId: string): Promise<void> {
    const { unitOfWork, queue } = this.parts;
    const runId = await unitOfWork.withTenant(organizationId, async (tx) => {
      const standing = present(await this.standings.lock(tx, standingId));
      if (!(await this.standings.takeToday(tx, standingId))) return undefined;
      return this.draft(tx, standing);
    });
    if (runId !== undefined) await enqueueRun(queue, organizationId, runId);
  }

  /** @returns undefined for a standing approval that ended with its policy version: nothing is swept under another one */
  private async draft(tx: TenantTransaction, standing: StandingApproval): Promise<string | undefined> {
    const { rules, store, audit } = this.parts;
    const { standingId, categories, policy } = standing;
    const nothing = { categories, beyondBrake: null, policy, going: 0 };
    if (refusalOfRun(standing, nothing, policyOf(await rules.inForce(tx)), await store.now(tx)) !== undefined)
      return undefined;
    const origin = byWorker();
    const runId = newRetentionRunId();
    const requested = { reason: `Daily sweep under ${standingId}`, categories, beyondBrake: null };
    const requester = { actorKind: 'system', actor: 'retention' };
    await this.standings.addRun(tx, { ...requested, runId, requester, hashKey: randomBytes(32) }, standingId);
    const step = { operation: 'retention.sweeps.create', resourceIds: [runId, standingId] };
    await audit.record(tx, origin, { ...step, after: { runId, standingId, ...requested } });
    return runId;
  }

  private async decide(organizationId: string, runId: string): Promise<void> {
    const { unitOfWork, queue } = this.parts;
    const fault = await this.clocks().fault(organizationId);
    const goes = await unitOfWork.withTenant(organizationId, async (tx) => {
      const run = present(await this.parts.store.lock(tx, runId));
      if (run.sweep === undefined || run.state !== 'previewed' || run.sweep.refused !== null) return false;
      const standing = present(await this.standings.lock(tx, run.sweep.standingId));
      const refused = fault === undefined ? await this.refusal(tx, standing, run) : 'clock';
      await this.settle(tx, standing, run, refused);
      return refused === undefined;
    });
    if (goes) await enqueueRun(queue, organizationId, runId);
  }

  /** Why it does not go on by itself: a code. */
  private async refusal(
    tx: TenantTransaction,
    standing: StandingApproval,
    run: RetentionRun,
  ): Promise<string | undefined> {
    const { rules, store } = this.parts;
    const { previewed, categories, beyondBrake } = run;
    if (previewed === undefined) return 'not_previewed';
    const now = await store.now(tx);
    if (now >= previewed.expiresAt) return 'preview_expired';
    const { policy, preview } = previewed;
    const swept = { categories, beyondBrake, policy, going: preview.going };
    const refused = refusalOfRun(standing, swept, policyOf(await rules.inForce(tx)), now);
    if (refused !== undefined) return refused;
    if ((await stillInForce(rules, tx, run, previewed)) === undefined) return 'policy';
    return brakeOnPreview(preview.parts, await this.braking.brakeSettings(tx, run)) === undefined ? undefined : 'brake';
  }

  private async settle(
    tx: TenantTransaction,
    { standingId, approval }: StandingApproval,
    { runId, previewed }: RetentionRun,
    refused: string | undefined,
  ): Promise<void> {
    const { store, audit } = this.parts;
    const resourceIds = [runId, standingId, `sha256:${previewed?.previewHash ?? ''}`];
    const before = { state: 'previewed', refused: null };
    if (refused !== undefined || approval === undefined) {
      const reason = refused ?? 'draft';
      await this.standings.leaveToPeople(tx, runId, reason);
      const step = { operation: 'retention.sweeps.leave_to_people', resourceIds, reason };
      await audit.record(tx, byWorker(), { ...step, before, after: { state: 'previewed', refused: reason } });
      return;
    }
    await store.approve(tx, runId, approval.approvalId, approval.approvers);
    const step = { operation: 'retention.sweeps.start', resourceIds };
    await audit.record(tx, byWorker(), { ...step, before, after: { state: 'approved', standingId } });
  }
}
