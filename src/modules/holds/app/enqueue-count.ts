import type { JobQueue } from '../../../kernel/ports/queue.js';

/** Wakes a worker for a hold that is to be counted. A queue that is away is no failure: it is asked again every few seconds. */
export async function enqueueCount(queue: JobQueue, organizationId: string, holdId: string): Promise<void> {
  await queue.add('hold-counts', holdId, { organizationId, id: holdId }).catch(() => undefined);
}
