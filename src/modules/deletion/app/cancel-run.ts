import type { ChangeOrigin } from '../../audit/index.js';
import type { RetentionRun } from './retention-run.js';
import { outdated, present, type RunParts } from './run-parts.js';

/** Use case: ends a run that has not ended. The batch under way is finished; what is gone is gone, and recorded. */
export class CancelRun {
  constructor(private readonly parts: Pick<RunParts, 'unitOfWork' | 'store' | 'concluding'>) {}

  /** @throws Failure `resource.not_found`; `input.precondition` for a run that has ended. */
  run(organizationId: string, runId: string, origin: ChangeOrigin): Promise<RetentionRun> {
    const { unitOfWork, store, concluding } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const run = present(await store.lock(tx, runId));
      if (['done', 'halted', 'cancelled'].includes(run.state)) throw outdated(`run_${run.state}`);
      await store.cancel(tx, runId);
      await concluding.run(tx, run, { outcome: 'cancelled' }, origin);
      return present(await store.find(tx, runId));
    });
  }
}
