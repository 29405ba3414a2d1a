import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JobPayload } from '../../src/kernel/ports/queue.js';
import { BullmqJobQueue } from '../../src/platform/queue/bullmq-job-queue.js';
import { queueBackend, type QueueBackend } from '../../src/platform/queue/queue-backend.js';
import { QueueWorkers } from '../../src/platform/queue/queue-workers.js';
import { compileSource } from '../support/feed-compiled-source.js';
import { csvOf, range } from '../support/feed-csv.js';
import { HAS_REDIS, startRedis } from '../support/feed-redis.js';
import { startWorker } from '../support/feed-worker.js';
import { FeedWorld, ORGANIZATION } from '../support/feed-world.js';
import { withRoom } from '../support/with-room.js';

const STORES = [
  { store: 'postgres' as const, available: true },
  { store: 'redis' as const, available: HAS_REDIS },
];
const log = { warn: () => undefined, error: () => undefined };

let source: { root: string; remove: () => Promise<void> };
beforeAll(async () => {
  source = await compileSource();
});
afterAll(() => source.remove());

if (!HAS_REDIS) process.stderr.write('redis-server is not on the PATH: the queue was not tested on Redis\n');

describe.each(STORES)('the job queue on $store', ({ store, available }) => {
  describe.skipIf(!available)('', () => {
    let world: FeedWorld;
    let redis: { url: string; stop: () => void } | undefined;
    let backend: QueueBackend;
    let queue: BullmqJobQueue;
    const workers: QueueWorkers[] = [];
    const children: ChildProcess[] = [];

    beforeAll(async () => {
      world = await FeedWorld.open();
      redis = store === 'redis' ? await startRedis() : undefined;
      backend = queueBackend({ DATABASE_URL: world.database.appUrl, REDIS_URL: redis?.url });
      queue = new BullmqJobQueue(backend, () => undefined);
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      for (const worker of workers.splice(0)) await worker.close(5000);
    });
    afterAll(async () => {
      await queue.close();
      redis?.stop();
      await world.close();
    });

    const start = (handler: (payload: JobPayload, signal: AbortSignal) => Promise<void>): QueueWorkers => {
      const started = new QueueWorkers(backend, queue, log);
      started.start('feed-fetches', (payload, run) => handler(payload, run.signal), 2);
      workers.push(started);
      return started;
    };
    const job = (id: string): JobPayload => ({ organizationId: ORGANIZATION, id });

    it('uses the store that is configured', () => {
      expect(backend.store).toBe(store);
    });

    it('runs a job once, drops a second one with its key while it waits or runs, and takes the key again afterwards', async () => {
      const done: string[] = [];
      await queue.add('feed-fetches', 'a', job('a'));
      await queue.add('feed-fetches', 'a', job('a'));
      start(async ({ id }) => {
        done.push(id);
        await queue.add('feed-fetches', 'a', job('a'));
      });
      await expect.poll(() => done, { timeout: 10_000 }).toEqual(['a']);
      await expect.poll(() => queue.waiting('feed-fetches')).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(done).toEqual(['a']);
      await queue.add('feed-fetches', 'a', job('again'));
      await expect.poll(() => done, { timeout: 10_000 }).toEqual(['a', 'again']);
    });

    it('forgets a job that failed, so that its key is free', async () => {
      let attempts = 0;
      start(() => {
        attempts++;
        return Promise.reject(new Error('no luck'));
      });
      for (const expected of [1, 2]) {
        await expect
          .poll(
            async () => {
              await queue.add('feed-fetches', 'failing', job('f'));
              return attempts;
            },
            { timeout: 10_000 },
          )
          .toBeGreaterThanOrEqual(expected);
      }
    });

    it('tells running jobs when the process stops, and waits for them', async () => {
      let state = '';
      const worker = start(async (_payload, signal) => {
        state = 'running';
        await once(signal, 'abort');
        state = 'stopped cleanly';
      });
      await queue.add('feed-fetches', 'slow', job('s'));
      await expect.poll(() => state, { timeout: 10_000 }).toBe('running');
      await worker.close(5000);
      expect(state).toBe('stopped cleanly');
    });

    it('refuses a key with a colon', async () => {
      // The store takes some of them itself: one colon it refuses, two it does not.
      for (const key of ['a:b', 'a:b:c', ':'])
        await expect(queue.add('feed-fetches', key, job('a'))).rejects.toThrow('colon');
    });

    it('loses no run: what is open in the database is enqueued again after the queue lost everything', async () => {
      await world.createFeed('feed.lost');
      const { runId } = await world.receive('feed.lost', csvOf(range(1, 20)));
      expect(world.queue.added.at(-1)?.payload.id).toBe(runId); // noted, but never put into the real queue
      const worker = await startWorker(source.root, world.database.appUrl, world.filesDir, redis?.url);
      children.push(worker.process);
      await expect.poll(() => stateOf(runId), { timeout: 20_000 }).toBe('published');
    });

    it('serves the old snapshot while a killed import is taken up by another process, which publishes exactly once', async () => {
      await world.admin.query('DELETE FROM rooftop_inventory');
      await world.createFeed('feed.killed', {
        settings: { currency: 'USD', timeZone: 'America/Chicago', odometerUnit: 'mi', guards: { shrinkShare: 0 } },
      });
      await world.import('feed.killed', csvOf(range(1, 5)));
      const { runId } = await world.receive('feed.killed', csvOf(range(10, 15_009)));
      const first = await startWorker(source.root, world.database.appUrl, world.filesDir, redis?.url);
      children.push(first.process);
      await expect.poll(() => rowsOf(runId), { timeout: 20_000, interval: 20 }).toBeGreaterThan(2000);
      first.process.kill('SIGKILL');
      const killedAt = Date.now();
      expect(await stateOf(runId)).toBe('running');
      expect(await world.servedVins()).toHaveLength(5);
      children.push((await startWorker(source.root, world.database.appUrl, world.filesDir, redis?.url)).process);
      await expect
        .poll(
          async () =>
            (await world.query<{ attempt: number }>('SELECT attempt FROM feed_runs WHERE run_id = $1', [runId]))[0]
              ?.attempt,
          { timeout: 40_000, interval: 200 },
        )
        .toBe(2);
      expect(Date.now() - killedAt).toBeLessThan(withRoom(32_000));
      expect(await world.servedVins()).toHaveLength(5);
      await expect.poll(() => stateOf(runId), { timeout: 60_000 }).toBe('published');
      expect(await world.servedVins()).toHaveLength(15_000);
      expect(
        await world.query('SELECT state, count(*)::int FROM snapshots WHERE run_id = $1 GROUP BY state', [runId]),
      ).toEqual([{ state: 'published', count: 1 }]);
      expect(await world.query('SELECT count(*)::int FROM units WHERE run_id = $1', [runId])).toEqual([
        { count: 15_000 },
      ]);
      expect(
        await world.query(
          `SELECT count(*)::int FROM audit_events WHERE operation = 'feeds.run_published' AND $1 = ANY(resource_ids)`,
          [runId],
        ),
      ).toEqual([{ count: 1 }]);
    }, 180_000);

    it('gives a run back at once when its process is asked to stop', async () => {
      await world.admin.query('DELETE FROM rooftop_inventory');
      await world.createFeed('feed.drained');
      const { runId } = await world.receive('feed.drained', csvOf(range(1, 15_000)));
      const first = await startWorker(source.root, world.database.appUrl, world.filesDir, redis?.url);
      children.push(first.process);
      await expect.poll(() => rowsOf(runId), { timeout: 20_000, interval: 20 }).toBeGreaterThan(1000);
      first.process.kill('SIGTERM');
      await once(first.process, 'exit');
      const [run] = await world.query('SELECT state, lease_until < now() AS free FROM feed_runs WHERE run_id = $1', [
        runId,
      ]);
      expect(run).toEqual({ state: 'running', free: true });
      expect(await world.work(runId)).toBe('published');
    }, 120_000);

    const stateOf = async (runId: string): Promise<unknown> =>
      (await world.query('SELECT state FROM feed_runs WHERE run_id = $1', [runId]))[0]?.state;
    const rowsOf = async (runId: string): Promise<number> =>
      (
        await world.query<{ rows: number | null }>(
          `SELECT (progress ->> 'rows')::int AS rows FROM feed_runs WHERE run_id = $1`,
          [runId],
        )
      )[0]?.rows ?? 0;
  });
});
