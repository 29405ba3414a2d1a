import type { JobQueue } from '../../../kernel/ports/queue.js';
import type { QueueWorkers } from '../../../platform/queue/queue-workers.js';
import { Ticker, type TickerLog } from '../../../platform/ticker.js';
import type { AuditExportStore } from '../app/exports/audit-export-store.js';
import { enqueueExport } from '../app/exports/enqueue-export.js';
import type { RunAuditExport } from '../app/exports/run-audit-export.js';
import type { SupersededExports } from '../app/exports/superseded-exports.js';

const RECONCILE_MS = 5000;
const OPEN_AT_ONCE = 200;

/**
 * Takes export jobs. The database is the truth and the queue only a bell: a lost queue or a killed worker delays an export
 * by one pass and loses nothing of it.
 */
export class AuditExportJobs {
  private readonly ticker: Ticker;

  constructor(
    private readonly workers: QueueWorkers,
    private readonly running: RunAuditExport,
    parts: {
      readonly store: Pick<AuditExportStore, 'open'>;
      readonly superseded: SupersededExports;
      readonly queue: JobQueue;
    },
    private readonly log: TickerLog,
  ) {
    const reconcile = async (): Promise<void> => {
      for (const { organizationId, exportId, attempt } of await parts.store.open(OPEN_AT_ONCE))
        await enqueueExport(parts.queue, organizationId, exportId, attempt);
      await parts.superseded.remove();
    };
    this.ticker = new Ticker('resume audit exports', RECONCILE_MS, reconcile, log);
  }

  start(): void {
    const handle = async ({ organizationId, id }: { organizationId: string; id: string }, signal: AbortSignal) => {
      const outcome = await this.running.run(organizationId, id, signal);
      if (outcome !== 'not_claimed') this.log.log(`audit export ${id} of ${organizationId}: ${outcome}`);
    };
    this.workers.start('audit-exports', (payload, run) => handle(payload, run.signal), 1);
    this.ticker.start();
  }

  stop(): Promise<void> {
    return this.ticker.stop();
  }
}
