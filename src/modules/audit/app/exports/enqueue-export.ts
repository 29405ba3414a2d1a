import type { JobQueue } from '../../../../kernel/ports/queue.js';

/**
 * Wakes a worker for an export. The key names the attempt, so that a job left behind by a dead worker does not hide the next
 * one. A queue that is away is no failure: open exports are enqueued again every few seconds.
 */
export async function enqueueExport(
  queue: JobQueue,
  organizationId: string,
  exportId: string,
  attempt: number,
): Promise<void> {
  await queue.add('audit-exports', `${exportId}-${attempt}`, { organizationId, id: exportId }).catch(() => undefined);
}
