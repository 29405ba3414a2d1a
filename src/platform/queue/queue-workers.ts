import type { JobPayload, QueueName } from '../../kernel/ports/queue.js';
import type { BullmqJobQueue } from './bullmq-job-queue.js';
import type { OpenWorker, QueueBackend, QueueJob } from './queue-backend.js';

/** What a handler may do beside its work. */
export interface JobRun {
  /** Aborted when the process stops: finish the current step, leave the rest to the next attempt. */
  readonly signal: AbortSignal;
  /** Shows how far the job is, to whoever looks at the queue. Never fails. */
  progress(state: object): void;
}

export type JobHandler = (payload: JobPayload, run: JobRun) => Promise<void>;

export interface WorkerLog {
  warn(message: string): void;
  error(message: string): void;
}

interface Registration {
  readonly queue: QueueName;
  readonly handler: JobHandler;
  readonly concurrency: number;
  worker: OpenWorker | undefined;
  active: number;
  lastSign: number;
}

const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 10_000;
const WATCH_MS = 30_000;
const DEAF_AFTER_MS = 60_000;

/**
 * Runs jobs. A job of a killed process is taken up again after at most lock + check, 25 s. A worker that stays deaf while
 * jobs wait, as happens after some store failovers, is replaced.
 */
export class QueueWorkers {
  private readonly registrations: Registration[] = [];
  private readonly stopping = new AbortController();
  private watchdog: NodeJS.Timeout | undefined;

  constructor(
    private readonly backend: QueueBackend,
    private readonly queue: BullmqJobQueue,
    private readonly log: WorkerLog,
  ) {}

  /** Starts taking jobs. The handler may run twice for one job and must be idempotent. */
  start(queue: QueueName, handler: JobHandler, concurrency: number): void {
    const registration: Registration = {
      queue,
      handler,
      concurrency,
      worker: undefined,
      active: 0,
      lastSign: Date.now(),
    };
    registration.worker = this.open(registration);
    this.registrations.push(registration);
    this.watchdog ??= setInterval(() => void this.watch(), WATCH_MS).unref();
  }

  /** Stops taking jobs, tells the running ones, and waits for them at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    clearInterval(this.watchdog);
    this.stopping.abort();
    const closeAll = (force: boolean): Promise<unknown> =>
      Promise.allSettled(this.registrations.map(async (r) => r.worker?.close(force)));
    const closing = closeAll(false);
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, graceMs, 'late').unref());
    if ((await Promise.race([closing, late])) === 'late') await closeAll(true);
    this.registrations.length = 0;
  }

  private open(registration: Registration): OpenWorker {
    const { queue, concurrency } = registration;
    const worker = this.backend.worker(queue, (job) => this.handle(registration, job), {
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: 5,
      drainDelay: 5,
      runRetryDelay: 2000,
    });
    worker.on('error', (error) => {
      this.log.warn(`queue ${queue}: ${error.message}`);
    });
    worker.on('failed', (_job, error) => {
      this.log.error(`a job of queue ${queue} failed: ${error.stack ?? error.message}`);
    });
    return worker;
  }

  private async handle(registration: Registration, job: QueueJob): Promise<void> {
    registration.active++;
    registration.lastSign = Date.now();
    try {
      await registration.handler(job.data, {
        signal: this.stopping.signal,
        progress: (state) => {
          job.updateProgress(state).catch(() => undefined);
        },
      });
    } finally {
      registration.active--;
      registration.lastSign = Date.now();
    }
  }

  private async watch(): Promise<void> {
    for (const registration of this.registrations) {
      if (registration.active > 0 || Date.now() - registration.lastSign < DEAF_AFTER_MS) continue;
      const waiting = await this.queue.waiting(registration.queue).catch(() => 0);
      if (waiting === 0 || this.stopping.signal.aborted) continue;
      this.log.warn(
        `queue ${registration.queue}: ${waiting} job(s) wait and none was taken for a minute; the worker is replaced`,
      );
      registration.worker?.close(true).catch(() => undefined);
      registration.worker = this.open(registration);
      registration.lastSign = Date.now();
    }
  }
}
