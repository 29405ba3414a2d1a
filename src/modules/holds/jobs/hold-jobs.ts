import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { QueueWorkers } from '../../../platform/queue/queue-workers.js';
import { Ticker, type TickerLog } from '../../../platform/ticker.js';
import type { CountHold } from '../app/count-hold.js';
import { enqueueCount } from '../app/enqueue-count.js';
import type { UncountedHolds } from '../app/hold-listing.js';

const RECONCILE_MS = 5000;
const OPEN_AT_ONCE = 200;

/**
 * Counts large holds. The database is the truth and the queue only a bell: a lost queue or a killed
 * worker delays a count by one pass.
 */
export class HoldJobs {
  private readonly reconciling: Ticker;

  constructor(
    private readonly workers: QueueWorkers,
    private readonly counting: CountHold,
    uncounted: UncountedHolds,
    queue: JobQueue,
    private readonly log: TickerLog,
  ) {
    const reconcile = async (): Promise<void> => {
      for (const { organizationId, holdId } of await uncounted.uncounted(OPEN_AT_ONCE))
        await enqueueCount(queue, organizationId, holdId);
    };
    this.reconciling = new Ticker('resume hold counts', RECONCILE_MS, reconcile, log);
  }

  start(): void {
    const handle = async ({ organizationId, id }: { organizationId: string; id: string }, signal: AbortSignal) => {
      const outcome = await this.counting.run(organizationId, id, signal);
      if (outcome !== 'counted before') this.log.log(`hold ${id} of ${organizationId}: ${outcome}`);
    };
    this.workers.start('hold-counts', (payload, run) => handle(payload, run.signal), 1);
    this.reconciling.start();
  }

  async stop(): Promise<void> {
    await this.reconciling.stop();
  }
}
