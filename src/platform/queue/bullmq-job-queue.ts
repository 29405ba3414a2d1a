import { Failure } from '../../kernel/failure/failure.js';
import type { AfterCommit } from '../../kernel/ports/request-transactions.js';
import type { JobPayload, JobQueue, QueueName } from '../../kernel/ports/queue.js';
import type { OpenQueue, QueueBackend } from './queue-backend.js';

const ADD_TIMEOUT_MS = 3000;

/**
 * Adds jobs to BullMQ. The key is the job's id, so a second job with it is ignored while the first one waits or runs;
 * finished jobs are removed at once, or their ids would block later ones. PostgreSQL tables of the modules hold the truth
 * about what is to be done: a lost job costs time, never work.
 */
export class BullmqJobQueue implements JobQueue {
  private readonly queues = new Map<QueueName, OpenQueue>();

  constructor(
    private readonly backend: QueueBackend,
    private readonly onError: (error: Error) => void,
    /** A job must not be taken before what it is about is committed. */
    private readonly afterCommit: AfterCommit = { run: (work) => work() },
  ) {}

  async add(queue: QueueName, key: string, payload: JobPayload): Promise<void> {
    if (key.includes(':')) throw new Error('a job key must not contain a colon');
    await this.afterCommit.run(async () => {
      const adding = this.open(queue).add(queue, payload, { jobId: key, removeOnComplete: true, removeOnFail: true });
      await withinTime(adding);
    });
  }

  /** Jobs that no worker has taken yet. */
  async waiting(queue: QueueName): Promise<number> {
    return withinTime(this.open(queue).getWaitingCount());
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
    this.queues.clear();
  }

  private open(name: QueueName): OpenQueue {
    const known = this.queues.get(name);
    if (known !== undefined) return known;
    const queue = this.backend.queue(name);
    queue.on('error', this.onError);
    this.queues.set(name, queue);
    return queue;
  }
}

/** A store that is away keeps commands waiting for its return; callers must not wait with them. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Failure('upstream.unavailable', { retryAfterMs: ADD_TIMEOUT_MS, auditReason: 'queue_unavailable' }));
    }, ADD_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined); // may still fail after the caller has gone
  }
}
