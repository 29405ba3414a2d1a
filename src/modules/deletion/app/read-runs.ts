import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { RetentionRun, TakenPart } from './retention-run.js';
import { present } from './run-parts.js';
import type { RunPage, RunStore } from './run-store.js';

/** Use cases: runs, how far they are, and what they took. */
export class ReadRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RunStore,
  ) {}

  /** Newest first. */
  list(organizationId: string, page: RunPage): Promise<readonly RetentionRun[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /** @throws Failure `resource.not_found` */
  get(
    organizationId: string,
    runId: string,
  ): Promise<{ readonly run: RetentionRun; readonly taken: readonly TakenPart[] }> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => ({
      run: present(await this.store.find(tx, runId)),
      taken: await this.store.taken(tx, runId),
    }));
  }
}
