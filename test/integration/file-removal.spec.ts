import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RemoveFiles, type Stores } from '../../src/modules/file-removal/app/remove-files.js';
import { SqlFileRemovals } from '../../src/modules/file-removal/infra/sql-file-removals.js';
import { csvOf } from '../support/feed-csv.js';
import { FeedWorld, ORGANIZATION } from '../support/feed-world.js';

const OTHER = 'org.other';
let world: FeedWorld;
let removals: SqlFileRemovals;
let stores: Stores;
let content = 0;

beforeAll(async () => {
  world = await FeedWorld.open();
  await world.createGroup(OTHER, ['roof.other']);
  await world.createFeed('feed.a');
  removals = new SqlFileRemovals(world.pool);
  stores = { feed_file: world.stores.files, audit_export: world.stores.files, privacy_file: world.stores.files };
});
afterAll(() => world.close());

interface Received {
  readonly sha256: string;
  readonly path: string;
}

/** A file that was received long ago. */
async function received(text = csvOf([++content])): Promise<Received> {
  const { runId } = await world.receive('feed.a', text, { force: true });
  const [run] = await world.query<{ sha256: string }>('SELECT sha256 FROM feed_runs WHERE run_id = $1', [runId]);
  const path = join(world.filesDir, ORGANIZATION, run!.sha256.slice(0, 2), run!.sha256);
  await utimes(path, 0, 0);
  return { sha256: run!.sha256, path };
}
const removeRows = (sha256: string): Promise<unknown> =>
  world.admin.query(
    `DELETE FROM feed_runs WHERE sha256 = '${sha256}'; DELETE FROM feed_files WHERE sha256 = '${sha256}'`,
  );
const run = (own = stores): Promise<number> => new RemoveFiles(world.unitOfWork, removals, own).run();
const isThere = async ({ path, sha256 }: Received): Promise<boolean> =>
  (await readdir(join(path, '..')).catch((): string[] => [])).includes(sha256);
const status = (): Promise<unknown> => world.unitOfWork.withTenant(ORGANIZATION, (tx) => removals.status(tx));

describe('the file of a row that went', () => {
  it('is removed once that is committed, whoever deleted the row, and not where it was taken back', async () => {
    const file = await received();
    await world.createFeed('feed.b', {}, OTHER);
    await world.receive('feed.b', csvOf([content]), { organizationId: OTHER }); // its own file of the same content
    const client = await world.admin.connect();
    await client.query('BEGIN');
    await client.query(`DELETE FROM feed_runs WHERE sha256 = '${file.sha256}' AND organization_id = '${ORGANIZATION}'`);
    await client.query(
      `DELETE FROM feed_files WHERE sha256 = '${file.sha256}' AND organization_id = '${ORGANIZATION}'`,
    );
    await client.query('ROLLBACK');
    client.release();
    expect(await run()).toBe(0);
    await world.admin.query(
      `DELETE FROM feed_runs WHERE sha256 = '${file.sha256}' AND organization_id = '${ORGANIZATION}';
       DELETE FROM feed_files WHERE sha256 = '${file.sha256}' AND organization_id = '${ORGANIZATION}'`,
    );
    expect(await status()).toMatchObject({ waiting: 1, waitingSince: expect.any(Number) as number });
    expect(await isThere(file)).toBe(true);
    expect(await run()).toBe(1);
    expect(await isThere(file)).toBe(false);
    expect(await readdir(join(world.filesDir, OTHER, file.sha256.slice(0, 2)))).toEqual([file.sha256]);
    expect(await status()).toEqual({ waiting: 0, removed: 1, kept: 0, failing: 0, waitingSince: null, problem: null });
  });

  it('is seen to have gone only by what is on disk, also where the deletion would not wait for that', async () => {
    const file = await received();
    const client = await world.admin.connect();
    await client.query(
      `BEGIN; SET LOCAL synchronous_commit = off; DELETE FROM feed_runs WHERE sha256 = '${file.sha256}'`,
    );
    const waits = async () => (await client.query<{ synchronous_commit: string }>(`SHOW synchronous_commit`)).rows[0];
    expect(await waits()).toEqual({ synchronous_commit: 'off' });
    await client.query(`DELETE FROM feed_files WHERE sha256 = '${file.sha256}'`);
    expect(await waits()).toEqual({ synchronous_commit: 'on' });
    await client.query('ROLLBACK');
    client.release();
  });

  it('stays where the same content came again, before its row is there or after', async () => {
    const file = await received();
    await removeRows(file.sha256);
    await utimes(file.path, new Date(), new Date()); // put again, its row not written yet
    expect(await run()).toBe(1);
    expect(await isThere(file)).toBe(true);
    expect(await status()).toMatchObject({ waiting: 1, failing: 0 });
    await received(csvOf([content])); // the row is there
    await world.admin.query('UPDATE file_removals SET due_at = now()');
    expect(await run()).toBe(1);
    expect(await isThere(file)).toBe(true);
    expect(await status()).toMatchObject({ waiting: 0, kept: 1 });
  });

  it('goes in the end where a worker dies in the middle, once, and by one worker', async () => {
    const file = await received();
    await removeRows(file.sha256);
    const dying: Stores = {
      ...stores,
      feed_file: {
        remove: async (...args) => {
          await stores.feed_file.remove(...args);
          const { rows } = await world.admin.query<{ pid: number }>(
            `SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND query ILIKE '%file_is_named%'`,
          );
          for (const { pid } of rows) await world.admin.query('SELECT pg_terminate_backend($1)', [pid]);
          throw new Error('killed');
        },
      },
    };
    await expect(run(dying)).rejects.toThrow();
    expect(await status()).toMatchObject({ waiting: 1, removed: 1 });
    const [a, b] = await Promise.all([run(), run()]);
    expect(a + b).toBe(1);
    expect(await world.query(`SELECT outcome FROM file_removals ORDER BY noted_at DESC LIMIT 1`)).toEqual([
      { outcome: 'absent' },
    ]);
  });

  it('is tried again where the store fails, and its failure is shown without the words of the store', async () => {
    const file = await received();
    await removeRows(file.sha256);
    const failing: Stores = {
      ...stores,
      feed_file: { remove: () => Promise.reject(Object.assign(new Error(`EACCES: ${file.path}`), { code: 'EACCES' })) },
    };
    expect(await run(failing)).toBe(1);
    expect(await status()).toMatchObject({ waiting: 1, failing: 1, problem: 'EACCES' });
    expect(await run(), 'it waits').toBe(0);
    await world.admin.query('UPDATE file_removals SET due_at = now()');
    expect(await run()).toBe(1);
    expect(await status()).toMatchObject({ waiting: 0, failing: 0, problem: null });
  });
});
