import type { JobsOptions, Processor, WorkerOptions } from 'bullmq';
import { createPostgresBackend, createRedisBackend, withBackend } from 'bullmq';
import pg from 'pg';
import type { JobPayload, QueueName } from '../../kernel/ports/queue.js';
import type { Settings } from '../config/settings.js';
import { APP_ROLE, QUEUE_SCHEMA } from '../database/connection.js';

export type QueueJob = Parameters<Processor<JobPayload, void>>[0];
export type QueueProcessor = (job: QueueJob) => Promise<void>;
type WorkerTuning = Omit<WorkerOptions, 'connection' | 'prefix'>;

/** What is used of a BullMQ queue; the same for both stores. */
export interface OpenQueue {
  add(name: string, payload: JobPayload, options: JobsOptions): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** What is used of a BullMQ worker; the same for both stores. */
export interface OpenWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  close(force?: boolean): Promise<void>;
}

/** Opens queues and workers on one store. */
export interface QueueBackend {
  readonly store: 'postgres' | 'redis';
  queue(name: QueueName): OpenQueue;
  worker(name: QueueName, processor: QueueProcessor, tuning: WorkerTuning): OpenWorker;
}

/** Redis where it is configured, else the application's own PostgreSQL. Nothing above knows which. */
export function queueBackend(settings: Pick<Settings, 'DATABASE_URL' | 'REDIS_URL'>): QueueBackend {
  if (settings.REDIS_URL !== undefined) return redisBackend(settings.REDIS_URL);
  if (settings.DATABASE_URL === undefined)
    throw new Error('DATABASE_URL is not set and neither is REDIS_URL: the queue has no store');
  return postgresBackend(settings.DATABASE_URL);
}

/** A checked-out client emits `error` when the server goes away; without a listener that would end the process. */
class GuardedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined); // the query under way rejects, and the pool replaces the client
  }
}

function postgresBackend(url: string): QueueBackend {
  const { Queue, Worker } = withBackend(createPostgresBackend);
  // The tables are made by the migrator; the application's role may use them but not change them.
  const connection = {
    connectionString: url,
    schema: QUEUE_SCHEMA,
    migrate: false,
    options: `-c role=${APP_ROLE}`,
    max: 2,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: 'forecourt-queue',
    Client: GuardedClient,
  };
  return {
    store: 'postgres',
    queue: (name) => new Queue<JobPayload, unknown>(name, { connection }),
    worker: (name, processor, tuning) => new Worker<JobPayload, void>(name, processor, { connection, ...tuning }),
  };
}

function redisBackend(url: string): QueueBackend {
  const { Queue, Worker } = withBackend(createRedisBackend);
  const connection = { url, maxRetriesPerRequest: null, enableOfflineQueue: true };
  return {
    store: 'redis',
    queue: (name) => new Queue<JobPayload, unknown>(name, { connection, prefix: 'forecourt' }),
    worker: (name, processor, tuning) =>
      new Worker<JobPayload, void>(name, processor, {
        connection,
        prefix: 'forecourt',
        ...tuning,
      }),
  };
}
