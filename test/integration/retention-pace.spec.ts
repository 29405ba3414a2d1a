import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BatchesPace } from '../../src/modules/deletion/app/take-batches.js';
import { WatchOthers } from '../../src/modules/deletion/app/watch-others.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ORGANIZATION, RetentionWorld } from '../support/retention-world.js';

let database: TestDatabase;
let world: RetentionWorld;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await RetentionWorld.open(database);
});
afterAll(async () => {
  await world.close();
  await database.drop();
});
beforeEach(() => world.reset());

/** Sizes of the batches of a run over 900 leads. */
async function batchesAt(pace: BatchesPace): Promise<readonly number[]> {
  await world.leads('old.', 900, 40);
  const { runId } = await world.approved({ beyondBrake: 'test' });
  const working = world.carrying(undefined, undefined, pace);
  expect(await working.run(ORGANIZATION, runId, new AbortController().signal)).toBe('done');
  const { rows } = await world.admin.query<{ taken: number }>(
    'SELECT taken FROM retention_batches WHERE run_id = $1 ORDER BY number',
    [runId],
  );
  expect(rows.reduce((sum, { taken }) => sum + taken, 0)).toBe(900);
  return rows.map(({ taken }) => taken);
}

describe('a run beside others', () => {
  it('counts their transactions and not its own', async () => {
    let now = 0;
    const others = new WatchOthers(world.unitOfWork, world.store, () => now);
    expect(others.due).toBe(true);
    expect(await others.perSecond(ORGANIZATION)).toBeUndefined();
    expect(others.due).toBe(false);
    const client = new pg.Client({ connectionString: database.appUrl });
    await client.connect();
    for (let i = 0; i < 100; i++) {
      others.noteOwn();
      await world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.store.order(tx)); // reads a table, as a batch does
    }
    for (let i = 0; i < 50; i++) await client.query('SELECT 1');
    await client.query('SELECT pg_stat_force_next_flush()');
    await client.query('SELECT 1');
    await client.end();
    now = 2000;
    expect(others.due).toBe(true);
    const perSecond = await others.perSecond(ORGANIZATION);
    expect(perSecond).toBeGreaterThanOrEqual(25);
    expect(perSecond).toBeLessThan(50);
  });

  it('takes small batches while it does not know that nobody is there, and all records', async () => {
    expect(Math.max(...(await batchesAt({ busyShare: 0.9 })))).toBe(200);
    expect(Math.max(...(await batchesAt({ busyShare: 1 })))).toBeGreaterThan(200);
  });
});
