import type { JobQueue } from '../../../kernel/ports/queue.js';
import { enqueueRun } from './enqueue-run.js';
import type { OpenFeedRuns } from './feed-run-store.js';

const RUNS_PER_PASS = 200;

/**
 * Enqueues every run that waits or whose worker is gone. The database is the truth and the queue only a bell: a flushed or
 * lost queue, or a killed worker, delays a run by one pass and never loses it (field failure 18).
 */
export class ResumeOpenRuns {
  constructor(
    private readonly open: OpenFeedRuns,
    private readonly queue: JobQueue,
  ) {}

  /** @returns how many runs were open. */
  async run(): Promise<number> {
    const runs = await this.open.list(RUNS_PER_PASS);
    for (const { organizationId, runId, attempt } of runs) await enqueueRun(this.queue, organizationId, runId, attempt);
    return runs.length;
  }
}
