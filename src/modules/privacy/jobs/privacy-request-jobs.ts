import type { QueueWorkers } from '../../../platform/queue/queue-workers.js';
import { Ticker, type TickerLog } from '../../../platform/ticker.js';
import type { ResumePrivacyRequests } from '../app/resume-privacy-requests.js';
import type { RunPrivacyRequest } from '../app/run-privacy-request.js';

const RESUME_MS = 5000;

/**
 * Takes jobs of privacy requests; a job carries the id and nothing else. The database is the truth and the queue only a bell:
 * what was lost is enqueued again within seconds.
 */
export class PrivacyRequestJobs {
  private readonly ticker: Ticker;

  constructor(
    private readonly workers: QueueWorkers,
    private readonly running: RunPrivacyRequest,
    resume: ResumePrivacyRequests,
    private readonly log: TickerLog,
  ) {
    this.ticker = new Ticker('resume privacy requests', RESUME_MS, () => resume.run(), log);
  }

  start(): void {
    this.workers.start(
      'privacy-requests',
      async ({ organizationId, id }, { signal }) => {
        const outcome = await this.running.run(organizationId, id, signal);
        if (outcome !== 'not_claimed') this.log.log(`privacy request ${id} of ${organizationId}: ${outcome}`);
      },
      1,
    );
    this.ticker.start();
  }

  stop(): Promise<void> {
    return this.ticker.stop();
  }
}
