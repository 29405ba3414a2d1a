import { setTimeout as rest } from 'node:timers/promises';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { BatchSize } from '../domain/batch-size.js';
import { Pace } from '../domain/pace.js';
import { Brake, type BrakeSettings, type Halt } from '../domain/brake.js';
import type { CategoryCutoffs } from '../../../kernel/retention/category-cutoffs.js';
import type { BatchOutcome } from './disposer.js';
import { Halted } from './halted.js';
import type { PlannedCategory } from './measure-run.js';
import type { PreviewedRun, RunLease } from './retention-run.js';
import type { RunParts } from './run-parts.js';
import { TakenTree } from './taken-tree.js';
import type { WatchClocks } from './watch-clocks.js';
import { WatchOthers } from './watch-others.js';

export type BatchesEnd = 'finished' | 'stopped' | 'waiting' | Halt;

/** What stops batches between one and the next. */
export interface BatchesWatch {
  readonly braking: BrakeSettings;
  readonly clocks: WatchClocks;
  /** Aborted when the process stops: the batch under way is finished. */
  readonly signal: AbortSignal;
}

interface Work {
  readonly lease: RunLease;
  readonly tree: TakenTree;
  readonly brake: Brake;
  readonly size: BatchSize;
  readonly pace: Pace;
  readonly others: WatchOthers;
}

/** How batches go. */
export interface BatchesPace {
  /** Records of a batch, where fewer than the limit are wanted. */
  readonly most?: number;
  /** Of the time, from above 0 to 1: how much a run works while others use the database. 1, the default: it makes no room. */
  readonly busyShare?: number;
}

/** Takes the batches of a run, one transaction each: evidence, cursor, tree and deletion commit together or not at all. */
export class TakeBatches {
  constructor(
    private readonly parts: Pick<RunParts, 'unitOfWork' | 'store' | 'measuring'>,
    private readonly pacing: BatchesPace = {},
  ) {}

  /**
   * Goes on where the last worker stopped.
   * @throws RunNotInForce where the run, its lease or its policy is not what was approved any more
   */
  async run(
    lease: RunLease,
    { cutoffs, preview }: PreviewedRun,
    { braking, clocks, signal }: BatchesWatch,
  ): Promise<BatchesEnd> {
    const { unitOfWork, store, measuring } = this.parts;
    const brake = new Brake(preview.parts, braking);
    const { plan, tree } = await unitOfWork.withTenant(lease.organizationId, async (tx) => {
      for (const part of await store.taken(tx, lease.runId)) brake.note(part, part.taken);
      return {
        plan: await measuring.plan(tx, lease.runId, cutoffs),
        tree: TakenTree.of(await store.tree(tx, lease)),
      };
    });
    const { most, busyShare = 1 } = this.pacing;
    const others = new WatchOthers(unitOfWork, store);
    const work = { lease, tree, brake, size: new BatchSize(most), pace: new Pace(busyShare), others };
    for (const planned of plan) {
      const end = await this.category(work, planned, clocks, signal);
      if (end !== 'finished') return end;
    }
    return 'finished';
  }

  private async category(
    work: Work,
    planned: PlannedCategory,
    clocks: WatchClocks,
    signal: AbortSignal,
  ): Promise<BatchesEnd> {
    for (;;) {
      if (signal.aborted) return 'stopped';
      const fault = await clocks.fault(work.lease.organizationId);
      if (fault !== undefined) return fault;
      if (work.others.due) work.pace.note(await work.others.perSecond(work.lease.organizationId));
      const begun = performance.now();
      const outcome = await this.batch(work, planned);
      const took = performance.now() - begun;
      if (outcome.kind === 'waiting') return 'waiting';
      if (outcome.kind === 'refused') work.size.refused();
      else if (outcome.finished) return 'finished';
      else work.size.took(took);
      const ms = work.pace.restAfter(took);
      if (ms > 0) await rest(ms, undefined, { signal }).catch(() => undefined); // the process stops: the loop sees it
    }
  }

  private batch(work: Work, { disposer, disposal }: PlannedCategory): Promise<BatchOutcome> {
    const { lease, size, pace, others } = work;
    others.noteOwn();
    return this.parts.unitOfWork.withTenant(lease.organizationId, async (tx) => {
      const outcome = await disposer.batch(tx, disposal, { lease: lease.lease, most: Math.min(size.next, pace.most) });
      if (outcome.kind === 'done') await this.note(tx, work, disposal.cutoffs, outcome);
      return outcome;
    });
  }

  /** A transaction that then fails ends the work of this worker, so that its tree and its brake are not used any more. */
  private async note(
    tx: TenantTransaction,
    { lease, tree, brake }: Work,
    { category, action }: CategoryCutoffs,
    { slice }: Extract<BatchOutcome, { kind: 'done' }>,
  ): Promise<void> {
    const { part, hashes, heldAt, usedAt } = slice;
    const halt = brake.take({ category, action, part }, hashes.length / 32 - heldAt.length - usedAt.length);
    if (halt !== undefined) throw new Halted(halt);
    if (hashes.length === 0) return;
    tree.add(slice);
    await this.parts.store.noteTree(tx, lease, tree.bytes());
  }
}
