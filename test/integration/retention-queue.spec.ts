import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { RetentionJobs } from '../../src/modules/deletion/jobs/retention-jobs.js';
import { enqueueRun } from '../../src/modules/deletion/app/run-parts.js';
import { BullmqJobQueue } from '../../src/platform/queue/bullmq-job-queue.js';
import { queueBackend, type QueueBackend } from '../../src/platform/queue/queue-backend.js';
import { QueueWorkers } from '../../src/platform/queue/queue-workers.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { HAS_REDIS, startRedis } from '../support/feed-redis.js';
import { ORGANIZATION, RetentionWorld } from '../support/retention-world.js';

const STORES = [
  { store: 'postgres' as const, available: true },
  { store: 'redis' as const, available: HAS_REDIS },
];
const log = { log: () => undefined, warn: () => undefined, error: () => undefined };
if (!HAS_REDIS) process.stderr.write('redis-server is not on the PATH: retention runs were not tested on Redis\n');

describe.each(STORES)('retention runs over the queue on $store', ({ store, available }) => {
  describe.skipIf(!available)('', () => {
    let database: TestDatabase;
    let world: RetentionWorld;
    let redis: Awaited<ReturnType<typeof startRedis>> | undefined;
    let backend: QueueBackend;
    let queue: BullmqJobQueue;
    const stops: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      database = await createTestDatabase();
      world = await RetentionWorld.open(database);
      redis = store === 'redis' ? await startRedis() : undefined;
      backend = queueBackend({ DATABASE_URL: database.appUrl, REDIS_URL: redis?.url });
      queue = new BullmqJobQueue(backend, () => undefined);
    });
    afterEach(async () => {
      for (const stop of stops.splice(0)) await stop();
      await world.reset();
    });
    afterAll(async () => {
      await queue.close();
      redis?.stop();
      await world.close();
      await database.drop();
    });

    /** A process that takes jobs. */
    function start(reconcileMs: number): void {
      const workers = new QueueWorkers(backend, queue, log);
      const jobs = new RetentionJobs(workers, world.carrying(), world.store, queue, log, reconcileMs);
      jobs.start();
      stops.push(async () => {
        await jobs.stop();
        await workers.close(5000);
      });
    }
    const done = (runId: string): Promise<void> =>
      vi.waitFor(async () => expect(await world.run(runId)).toMatchObject({ state: 'done' }), {
        timeout: 20_000,
        interval: 100,
      });

    async function empty(): Promise<void> {
      if (redis === undefined) {
        const { rows } = await world.admin.query<{ name: string }>(
          `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'bullmq' AND table_name LIKE '%job%'`,
        );
        expect(rows.length).toBeGreaterThan(0);
        await world.admin.query(`TRUNCATE ${rows.map(({ name }) => `bullmq.${name}`).join(', ')} CASCADE`);
        return;
      }
      const client = new Redis(redis.url);
      await client.flushall();
      await client.quit();
    }

    it('go on after the queue was emptied', async () => {
      await world.leads('old.', 100, 40);
      const run = await world.approved({ beyondBrake: 'test' });
      await enqueueRun(queue, ORGANIZATION, run.runId);
      expect(await queue.waiting('retention-runs')).toBe(1);
      await empty();
      expect(await queue.waiting('retention-runs')).toBe(0);
      start(200);
      await done(run.runId);
      expect(await world.left()).toEqual([]);
    });

    it('are done once by two processes that are woken many times', async () => {
      await world.leads('old.', 2000, 40);
      const run = await world.approved({ beyondBrake: 'test' });
      start(50);
      start(50);
      for (let i = 0; i < 5; i++) await enqueueRun(queue, ORGANIZATION, run.runId);
      await done(run.runId);
      expect(await world.left()).toEqual([]);
      expect(await world.record(run.runId)).toMatchObject({ taken: 2000, root: run.previewed!.preview.root });
    });
  });
});
