import type { JobPayload } from '../../../kernel/ports/queue.js';
import type { JobRun, QueueWorkers } from '../../../platform/queue/queue-workers.js';
import type { PullFeed } from '../app/pull-feed.js';
import type { ResumeOpenRuns } from '../app/resume-open-runs.js';
import type { RunFeedImport } from '../app/run-feed-import.js';
import type { ScanWatchedFolders } from '../app/scan-watched-folders.js';
import type { ScheduleFetches } from '../app/schedule-fetches.js';
import type { Feed } from '../app/feed.js';
import { Ticker, type TickerLog } from '../../../platform/ticker.js';

export interface InventoryUseCases {
  readonly importing: RunFeedImport;
  readonly pulling: PullFeed;
  readonly resuming: ResumeOpenRuns;
  readonly scheduling: ScheduleFetches;
  readonly scanning: ScanWatchedFolders;
}

const RECONCILE_MS = 10_000;
const SCHEDULE_MS = 20_000;
const SCAN_MS = 2000;
const PULLS_AT_ONCE = 4;
/** While one import waits for the database another reads; more would only share the same processor. */
const IMPORTS_AT_ONCE = 3;

/** The background work of the module: jobs from the queue, and what must happen without anybody asking. */
export class InventoryJobs {
  private readonly tickers: Ticker[];
  private watched: readonly Feed[] = [];

  constructor(
    private readonly workers: QueueWorkers,
    private readonly useCases: InventoryUseCases,
    private readonly log: TickerLog,
  ) {
    const { resuming, scheduling, scanning } = useCases;
    this.tickers = [
      new Ticker('resume open feed runs', RECONCILE_MS, () => resuming.run(), log),
      new Ticker(
        'schedule feed fetches',
        SCHEDULE_MS,
        async () => {
          this.watched = await scheduling.run();
        },
        log,
      ),
      new Ticker('scan watched folders', SCAN_MS, () => scanning.run(this.watched), log),
    ];
  }

  start(): void {
    this.workers.start('feed-runs', (payload, run) => this.importFeed(payload, run), IMPORTS_AT_ONCE);
    this.workers.start(
      'feed-fetches',
      async ({ organizationId, id }) => {
        await this.useCases.pulling.run(organizationId, id);
      },
      PULLS_AT_ONCE,
    );
    for (const ticker of this.tickers) ticker.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
  }

  private async importFeed({ organizationId, id }: JobPayload, run: JobRun): Promise<void> {
    const outcome = await this.useCases.importing.run(organizationId, id, {
      signal: run.signal,
      progress: (state) => {
        run.progress(state);
      },
    });
    if (outcome !== 'not_claimed') this.log.log(`feed run ${id} of ${organizationId}: ${outcome}`);
  }
}
