import type { JobQueue } from '../../../kernel/ports/queue.js';

/**
 * Wakes a worker for a run. The key names the attempt, so that a job left behind by a dead worker does not hide the run's
 * next one. A queue that is away is no failure: the run is recorded, and open runs are enqueued again every few seconds.
 */
export async function enqueueRun(
  queue: JobQueue,
  organizationId: string,
  runId: string,
  attempt: number,
): Promise<void> {
  await queue.add('feed-runs', `${runId}-${attempt}`, { organizationId, id: runId }).catch(() => undefined);
}
