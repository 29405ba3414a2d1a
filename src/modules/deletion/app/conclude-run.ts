import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { Halt } from '../domain/brake.js';
import { added } from '../domain/preview-tally.js';
import type { DeletionRecords } from './deletion-records.js';
import type { MeasureRun } from './measure-run.js';
import type { RetentionRun, TakenPart } from './retention-run.js';
import type { RunAudit } from './run-audit.js';
import type { RunStore } from './run-store.js';
import { TakenTree } from './taken-tree.js';

/** What was still over when the run was done, asked anew. */
export interface Requery {
  readonly going: number;
  readonly held: number;
  readonly inUse: number;
}

/** How a run ended. */
export type RunEnd =
  | { readonly outcome: 'done'; readonly requery: Requery }
  | { readonly outcome: 'halted'; readonly halt: Halt }
  | { readonly outcome: 'cancelled' };

/**
 * Ends runs. What has deleted anything, or was meant to and found nothing, leaves a deletion record, however it ended; that is then
 * the audit record of the end.
 */
export class ConcludeRun {
  constructor(
    private readonly store: RunStore,
    private readonly records: DeletionRecords,
    private readonly measuring: MeasureRun,
    private readonly audit: RunAudit,
  ) {}

  /** In the transaction that ends the run; its row is locked and its new state is already there. */
  async run(tx: TenantTransaction, run: RetentionRun, end: RunEnd, origin: ChangeOrigin): Promise<void> {
    const { outcome } = end;
    const operation = `retention.runs.${outcome}`;
    if (run.startedAt === null) {
      const reason = end.outcome === 'halted' ? end.halt.kind : outcome;
      const step = { operation, resourceIds: [run.runId], reason };
      await this.audit.record(tx, origin, { ...step, before: { state: run.state }, after: { state: outcome } });
      return;
    }
    const content = await this.contentOf(tx, run, end);
    await this.records.write(tx, { kind: 'run', sourceId: run.runId, content }, operation, origin);
  }

  private async contentOf(tx: TenantTransaction, run: RetentionRun, end: RunEnd): Promise<object> {
    const { runId, previewed, approval } = run;
    if (previewed === undefined || approval === undefined) throw new Error('a run was begun without its approval');
    const parts = await this.store.taken(tx, runId);
    const tree = TakenTree.of(await this.store.tree(tx, { organizationId: tx.organizationId, runId, lease: 0 }));
    const now = await this.store.now(tx);
    return {
      outcome: end.outcome,
      run: {
        run_id: runId,
        reason: run.reason,
        categories: run.categories,
        beyond_brake: run.beyondBrake,
        requested_by: { kind: run.requester.actorKind, id: run.requester.actor },
        requested_at: rfc3339(run.requestedAt),
        started_at: rfc3339(run.startedAt ?? now),
        finished_at: rfc3339(now),
      },
      policy: {
        policy_id: previewed.policy.policyId,
        version: previewed.policy.version,
        content_hash: previewed.policy.contentHash,
        rule_ids: [...new Set(previewed.cutoffs.flatMap(({ ruleIds }) => ruleIds))].toSorted(),
        jurisdictions: previewed.preview.jurisdictions,
        as_of: rfc3339(previewed.asOf),
      },
      approval: {
        approval_id: approval.approvalId,
        approvers: approval.approvers,
        approved_at: rfc3339(approval.approvedAt),
        preview_hash: previewed.previewHash,
        ...(run.sweep?.approvedUnder === true ? { standing_approval_id: run.sweep.standingId } : {}),
      },
      preview: { over: previewed.preview.over, going: previewed.preview.going, root: previewed.preview.root },
      ...countsOf(parts),
      batches: run.progress.batches,
      records_hash: 'HMAC-SHA-256 of category, line feed and record id, under a key of the run',
      root: tree.root(),
      methods: this.measuring.methods(previewed.cutoffs),
      ...endOf(end, now),
    };
  }
}

function countsOf(parts: readonly TakenPart[]): object {
  const sum = (of: 'taken' | 'held' | 'failed'): number => parts.reduce((total, part) => total + part[of], 0);
  return {
    taken: sum('taken'),
    actions: parts.reduce<Readonly<Record<string, number>>>(
      (all, { action, taken }) => added(all, { [action]: taken }),
      {},
    ),
    held: sum('held'),
    failed: sum('failed'),
    counts: parts.map(({ category, action, part, taken, held, failed, rooftops, holds }) => ({
      category,
      action,
      table: part,
      taken,
      held,
      failed,
      rooftops,
      holds,
    })),
    holds: parts.reduce<Readonly<Record<string, number>>>((all, { holds }) => added(all, holds), {}),
  };
}

/** What was not asked is null, never zero. */
function endOf(end: RunEnd, now: number): object {
  if (end.outcome === 'done') {
    const { going, held, inUse } = end.requery;
    return { halt: null, requery: { at: rfc3339(now), going, held, in_use: inUse } };
  }
  return { halt: end.outcome === 'halted' ? end.halt : null, requery: null };
}
