import {
  Global,
  Inject,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { JOB_QUEUE } from '../../kernel/ports/queue.js';
import { AFTER_COMMIT, type AfterCommit } from '../../kernel/ports/request-transactions.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { BullmqJobQueue } from './bullmq-job-queue.js';
import { queueBackend, type QueueBackend } from './queue-backend.js';
import { QueueWorkers } from './queue-workers.js';

const QUEUE_BACKEND = Symbol('QueueBackend');
const logger = new Logger('Queue');

/** The job queue of the process: adding jobs everywhere, running them where workers are started. */
@Global()
@Module({
  providers: [
    { provide: QUEUE_BACKEND, inject: [SETTINGS], useFactory: queueBackend },
    {
      provide: JOB_QUEUE,
      inject: [QUEUE_BACKEND, AFTER_COMMIT],
      useFactory: (backend: QueueBackend, afterCommit: AfterCommit) => {
        const onError = (error: Error): void => {
          logger.warn(error.message);
        };
        return new BullmqJobQueue(backend, onError, afterCommit);
      },
    },
    {
      provide: QueueWorkers,
      inject: [QUEUE_BACKEND, JOB_QUEUE],
      useFactory: (backend: QueueBackend, queue: BullmqJobQueue) => new QueueWorkers(backend, queue, logger),
    },
  ],
  exports: [JOB_QUEUE, QueueWorkers],
})
export class QueueModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    @Inject(JOB_QUEUE) private readonly queue: BullmqJobQueue,
    @Inject(QueueWorkers) private readonly workers: QueueWorkers,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Before the database closes: running jobs still write that they stop. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.workers.close(this.settings.DRAIN_TIMEOUT_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}
