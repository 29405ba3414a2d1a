import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { QueueWorkers } from '../../../platform/queue/queue-workers.js';
import { Ticker, type TickerLog } from '../../../platform/ticker.js';
import type { CarryOutRun } from '../app/carry-out-run.js';
import { enqueueRun } from '../app/run-parts.js';
import type { RunStore } from '../app/run-store.js';

const RECONCILE_MS = 30_000;
const OPEN_AT_ONCE = 200;
/** Runs of different organizations do not wait for each other; more would only share the same disk. */
const RUNS_AT_ONCE = 2;

/**
 * Takes jobs of runs. PostgreSQL is the truth and the queue only a bell: whatever is open and has no worker is enqueued again at
 * start and every half minute, so that a flushed queue or a killed worker costs a pass and nothing else.
 */
export class RetentionJobs {
  private readonly ticker: Ticker;

  constructor(
    private readonly workers: QueueWorkers,
    private readonly running: CarryOutRun,
    store: Pick<RunStore, 'open'>,
    queue: JobQueue,
    private readonly log: TickerLog,
    reconcileMs: number = RECONCILE_MS,
  ) {
    const reconcile = async (): Promise<void> => {
      for (const { organizationId, runId } of await store.open(OPEN_AT_ONCE))
        await enqueueRun(queue, organizationId, runId);
    };
    this.ticker = new Ticker('resume retention runs', reconcileMs, reconcile, log);
  }

  start(): void {
    this.workers.start(
      'retention-runs',
      async ({ organizationId, id }, { signal }) => {
        const outcome = await this.running.run(organizationId, id, signal);
        if (outcome !== 'not_claimed') this.log.log(`retention run ${id} of ${organizationId}: ${outcome}`);
      },
      RUNS_AT_ONCE,
    );
    this.ticker.start();
  }

  stop(): Promise<void> {
    return this.ticker.stop();
  }
}
