import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Halt } from '../domain/brake.js';
import type { BeginRun } from './begin-run.js';
import type { Requery } from './conclude-run.js';
import { Halted, plainHalt } from './halted.js';
import type { PreviewRun } from './preview-run.js';
import type { PreviewedRun, RetentionRun, RunLease } from './retention-run.js';
import { byWorker } from './run-audit.js';
import { RunNotInForce } from './run-not-in-force.js';
import { present, type RunParts } from './run-parts.js';
import type { TakeBatches } from './take-batches.js';
import type { WatchClocks } from './watch-clocks.js';

/** `lost`: somebody else has it, or it was cancelled. `waiting`: a hold is being counted; it goes on by itself. */
export type RunOutcome = 'previewed' | 'done' | 'halted' | 'stopped' | 'waiting' | 'lost' | 'not_claimed';

const LEASE_MS = 30_000;
const RENEW_MS = 8000;

/** What the work of a run consists of, step by step. */
export interface RunSteps {
  readonly previewing: PreviewRun;
  readonly beginning: BeginRun;
  readonly batches: TakeBatches;
  readonly clocks: () => WatchClocks;
}

/** Use case of workers: does whatever a run has to do. Called twice at once, or again after a crash, it does it once. */
export class CarryOutRun {
  constructor(
    private readonly parts: RunParts,
    private readonly steps: RunSteps,
    private readonly log: { error(message: string): void },
  ) {}

  /** @param signal aborted when the process stops: the batch under way is finished and the run let go */
  async run(organizationId: string, runId: string, signal: AbortSignal): Promise<RunOutcome> {
    const { store, unitOfWork } = this.parts;
    const lease = await store.claim(organizationId, runId, LEASE_MS);
    if (lease === undefined) return 'not_claimed';
    const renewing = setInterval(() => void store.renew(lease, LEASE_MS).catch(() => undefined), RENEW_MS).unref();
    try {
      const run = present(await unitOfWork.withTenant(organizationId, (tx) => store.find(tx, runId)));
      return await this.work(lease, run, signal);
    } catch (error) {
      return await this.afterError(lease, error);
    } finally {
      clearInterval(renewing);
      await store.release(lease).catch(() => undefined); // it runs out by itself
    }
  }

  private async work(lease: RunLease, run: RetentionRun, signal: AbortSignal): Promise<RunOutcome> {
    const clocks = this.steps.clocks();
    const fault = await clocks.fault(lease.organizationId);
    if (fault !== undefined) return this.halt(lease, fault);
    if (run.state === 'draft') {
      const halt = await this.steps.previewing.run(lease, run);
      return halt === undefined ? 'previewed' : this.halt(lease, halt);
    }
    const { previewed } = run;
    if (previewed === undefined) throw new Error('a run was approved without a preview');
    if (run.state === 'approved') {
      const halt = await this.steps.beginning.run(lease, run, previewed);
      if (halt !== undefined) return this.halt(lease, halt);
    }
    const { unitOfWork } = this.parts;
    const braking = await unitOfWork.withTenant(lease.organizationId, (tx) =>
      this.steps.beginning.brakeSettings(tx, run),
    );
    const end = await this.steps.batches.run(lease, previewed, { braking, clocks, signal });
    if (end === 'finished') return this.finish(lease, run, previewed);
    return typeof end === 'string' ? end : this.halt(lease, end);
  }

  private async finish(lease: RunLease, run: RetentionRun, previewed: PreviewedRun): Promise<RunOutcome> {
    const { reads, rules, measuring, unitOfWork, store, concluding } = this.parts;
    const requery = await reads.readOnly(lease.organizationId, async (tx): Promise<Requery> => {
      const places = (await rules.inForce(tx)) ?? { jurisdictions: new Map<string, string>(), home: '*' };
      const { preview } = await measuring.run(tx, run.runId, previewed.cutoffs, places);
      return { going: preview.going, held: preview.held, inUse: preview.over - preview.going - preview.held };
    });
    await unitOfWork.withTenant(lease.organizationId, async (tx) => {
      const ended = await this.locked(tx, lease);
      await store.finish(tx, lease);
      await concluding.run(tx, ended, { outcome: 'done', requery }, byWorker());
    });
    return 'done';
  }

  private async halt(lease: RunLease, halt: Halt): Promise<RunOutcome> {
    const { unitOfWork, store, concluding } = this.parts;
    await unitOfWork.withTenant(lease.organizationId, async (tx) => {
      const ended = await this.locked(tx, lease);
      await store.halt(tx, lease.runId, halt);
      await concluding.run(tx, ended, { outcome: 'halted', halt }, byWorker());
    });
    return 'halted';
  }

  private async locked(tx: TenantTransaction, { runId }: RunLease): Promise<RetentionRun> {
    return present(await this.parts.store.lock(tx, runId));
  }

  /** What passes by itself is tried again by the next pass; what does not halts the run, with its reason in the log. */
  private async afterError(lease: RunLease, error: unknown): Promise<RunOutcome> {
    if (error instanceof Halted) return this.halt(lease, error.halt);
    if (error instanceof RunNotInForce)
      return error.part === 'run' || error.part === 'lease' ? 'lost' : this.halt(lease, plainHalt(error.part));
    if (error instanceof Failure && error.code !== 'input.invalid') throw error;
    if (/deadlock detected|could not obtain lock|canceling statement|lock timeout/.test(String(error))) throw error;
    this.log.error(
      `retention run ${lease.runId} of ${lease.organizationId} is halted: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return this.halt(lease, plainHalt('failure'));
  }
}
