/** A unit of background work. Carries ids only: job data is plain text in the queue's store. */
export interface JobPayload {
  readonly organizationId: string;
  readonly id: string;
}

/** Port: hands work to the workers. At-least-once; handlers are idempotent. */
export interface JobQueue {
  /** Adds a job unless one with the same key is waiting or running. `key` must not contain a colon. */
  add(queue: QueueName, key: string, payload: JobPayload): Promise<void>;
}

export const QUEUES = [
  'feed-runs',
  'feed-fetches',
  'audit-exports',
  'retention-runs',
  'hold-counts',
  'privacy-requests',
] as const;
export type QueueName = (typeof QUEUES)[number];
export const JOB_QUEUE = Symbol('JobQueue');
