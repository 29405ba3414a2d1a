import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { QueueWorkers } from '../../../platform/queue/queue-workers.js';
import { Ticker, type TickerLog } from '../../../platform/ticker.js';
import type { CountHold } from '../app/count-hold.js';
import { enqueueCount } from '../app/enqueue-count.js';
import type { UncountedHolds } from '../app/hold-listing.js';
import type { RemindOfHolds } from '../app/remind-of-holds.js';

const RECONCILE_MS = 5000;
const REMIND_MS = 60_000;
const OPEN_AT_ONCE = 200;

/**
 * Counts large holds and reminds of notices. The database is the truth and the queue only a bell: a lost queue or a killed
 * worker delays a count by one pass.
 */
export class HoldJobs {
  private readonly tickers: readonly Ticker[];

  constructor(
    private readonly workers: QueueWorkers,
    private readonly counting: CountHold,
    uncounted: UncountedHolds,
    reminding: RemindOfHolds,
    queue: JobQueue,
    private readonly log: TickerLog,
  ) {
    const reconcile = async (): Promise<void> => {
      for (const { organizationId, holdId } of await uncounted.uncounted(OPEN_AT_ONCE))
        await enqueueCount(queue, organizationId, holdId);
    };
    this.tickers = [
      new Ticker('resume hold counts', RECONCILE_MS, reconcile, log),
      new Ticker('remind of hold notices', REMIND_MS, () => reminding.run(), log),
    ];
  }

  start(): void {
    const handle = async ({ organizationId, id }: { organizationId: string; id: string }, signal: AbortSignal) => {
      const outcome = await this.counting.run(organizationId, id, signal);
      if (outcome !== 'counted before') this.log.log(`hold ${id} of ${organizationId}: ${outcome}`);
    };
    this.workers.start('hold-counts', (payload, run) => handle(payload, run.signal), 1);
    for (const ticker of this.tickers) ticker.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
  }
}
