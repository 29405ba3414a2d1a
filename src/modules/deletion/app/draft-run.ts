import { randomBytes } from 'node:crypto';
import { newRetentionRunId } from '../../../kernel/ids.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { RequestedRun, RetentionRun } from './retention-run.js';
import { enqueueRun, present, type RunParts } from './run-parts.js';

/** Use case: asks for a preview of what is over. Nothing is deleted by it, and most runs end here. */
export class DraftRun {
  constructor(private readonly parts: Pick<RunParts, 'unitOfWork' | 'store' | 'audit' | 'queue'>) {}

  /** A worker previews it in the background. */
  async run(
    organizationId: string,
    requested: RequestedRun,
    origin: ChangeOrigin & { readonly actor: string },
  ): Promise<RetentionRun> {
    const { unitOfWork, store, audit, queue } = this.parts;
    const runId = newRetentionRunId();
    const { actorKind, actor } = origin;
    const run = await unitOfWork.withTenant(organizationId, async (tx) => {
      await store.add(tx, { ...requested, runId, requester: { actorKind, actor }, hashKey: randomBytes(32) });
      const operation = 'retention.runs.create';
      await audit.record(tx, origin, { operation, resourceIds: [runId], after: { runId, ...requested } });
      return present(await store.find(tx, runId));
    });
    await enqueueRun(queue, organizationId, runId);
    return run;
  }
}
