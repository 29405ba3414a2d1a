import type { CategoryCutoffs } from '../../../kernel/retention/category-cutoffs.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionRules, RulesInForce } from '../../retention/index.js';
import { cutoffsOf } from '../../retention/index.js';
import { sameCutoffs } from '../domain/run-preview.js';
import type { ConcludeRun } from './conclude-run.js';
import type { MeasureRun } from './measure-run.js';
import type { PreviewReads } from './preview-reads.js';
import type { PreviewedRun, RequestedRun } from './retention-run.js';
import type { RunAudit } from './run-audit.js';
import type { RunStore } from './run-store.js';

/** What every use case of runs works with. */
export interface RunParts {
  readonly unitOfWork: UnitOfWork;
  readonly reads: PreviewReads;
  readonly store: RunStore;
  readonly rules: RetentionRules;
  readonly measuring: MeasureRun;
  readonly concluding: ConcludeRun;
  readonly audit: RunAudit;
  readonly queue: JobQueue;
}

/**
 * Wakes a worker for a run. The queue knows its id and nothing else. A queue that is away is no failure: the run is recorded, and
 * open runs are enqueued again every half minute.
 */
export async function enqueueRun(queue: JobQueue, organizationId: string, runId: string): Promise<void> {
  await queue.add('retention-runs', `run-${runId}`, { organizationId, id: runId }).catch(() => undefined);
}

/** Cutoffs of what a run was asked for. */
export function cutoffsFor(
  rules: RulesInForce,
  asOf: number,
  { categories }: Pick<RequestedRun, 'categories'>,
): readonly CategoryCutoffs[] {
  return cutoffsOf(rules, asOf).filter(({ category }) => categories === null || categories.includes(category));
}

/** Whether the policy, and where it is applied, is still what was previewed. */
export async function stillInForce(
  rules: RetentionRules,
  tx: TenantTransaction,
  run: Pick<RequestedRun, 'categories'>,
  { policy, asOf, cutoffs }: PreviewedRun,
): Promise<RulesInForce | undefined> {
  const found = await rules.inForce(tx);
  if (found === undefined) return undefined;
  const { policyId, version, contentHash } = found.policy;
  const same = policyId === policy.policyId && version === policy.version && contentHash === policy.contentHash;
  return same && sameCutoffs(cutoffsFor(found, asOf, run), cutoffs) ? found : undefined;
}

/** @throws Failure `resource.not_found` */
export function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}

/** What is asked for is not possible any more, or not yet. */
export const outdated = (auditReason: string): Failure =>
  new Failure('input.precondition', { reason: 'precondition_failed', auditReason });
