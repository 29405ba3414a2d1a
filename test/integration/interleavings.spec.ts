import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { everyInterleaving, type Step } from '../support/interleavings.js';

let database: TestDatabase;
let watcher: pg.Client;
let holding: pg.Client;
let deleting: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.adminUrl, options: '-c deadlock_timeout=10ms' });
    await client.connect();
    return client;
  };
  [watcher, holding, deleting] = [await connect(), await connect(), await connect()];
  await watcher.query('CREATE TABLE plain_records (id text); CREATE TABLE plain_holds (record text)');
});
afterAll(async () => {
  await Promise.all([watcher, holding, deleting].map((client) => client.end()));
  await database.drop();
});

const prepare = (): Promise<unknown> =>
  watcher.query(`DELETE FROM plain_records; DELETE FROM plain_holds; INSERT INTO plain_records VALUES ('one')`);

/** How many orders there are, and in how many of them a record went away after its hold was there. */
async function lost(hold: readonly Step[], remove: readonly Step[]): Promise<string> {
  let orders = 0;
  let losses = 0;
  const pair = { a: { client: holding, steps: hold }, b: { client: deleting, steps: remove } };
  for await (const { ended } of everyInterleaving(watcher, pair, prepare)) {
    orders++;
    const { rows } = await watcher.query('SELECT FROM plain_records');
    if (rows.length === 0 && ended[0] === 'a') losses++;
  }
  return `${losses} of ${orders}`;
}

let held = true;
const check: Step = async () => {
  held = (await deleting.query('SELECT FROM plain_holds')).rows.length > 0;
};
const removeUnlessHeld: Step = async () => {
  if (!held) await deleting.query('DELETE FROM plain_records');
};
const insert = `INSERT INTO plain_holds VALUES ('one')`;
const exclusive = 'SELECT pg_advisory_xact_lock(1)';
const shared = 'SELECT pg_advisory_xact_lock_shared(1)';
const repeatable = 'BEGIN ISOLATION LEVEL REPEATABLE READ';
const locking: readonly Step[] = ['BEGIN', exclusive, insert, 'COMMIT'];

describe('every interleaving of a hold and a deletion', () => {
  it('finds the holds that are lost without a lock, and by a lock that is taken too late or under an old snapshot', async () => {
    expect(await lost(['BEGIN', insert, 'COMMIT'], ['BEGIN', check, removeUnlessHeld, 'COMMIT'])).toBe('16 of 35');
    expect(await lost(locking, ['BEGIN', check, shared, removeUnlessHeld, 'COMMIT'])).toBe('76 of 126');
    expect(await lost(locking, [repeatable, shared, check, removeUnlessHeld, 'COMMIT'])).toBe('46 of 126');
  });

  it('loses none when the lock comes first and the look afterwards sees what was committed', async () => {
    expect(await lost(locking, ['BEGIN', shared, check, removeUnlessHeld, 'COMMIT'])).toBe('0 of 126');
  });

  it('tells of a deadlock and of who waited', async () => {
    const steps = (...keys: number[]): Step[] => [
      'BEGIN',
      ...keys.map((key) => `SELECT pg_advisory_xact_lock(${key})`),
      'COMMIT',
    ];
    const pair = { a: { client: holding, steps: steps(1, 2) }, b: { client: deleting, steps: steps(2, 1) } };
    const seen = { deadlocks: 0, waits: 0 };
    for await (const { refused, waited, ended } of everyInterleaving(watcher, pair, () => Promise.resolve())) {
      const refusals = Object.values(refused);
      expect(refusals.length + ended.length).toBe(2);
      if (refusals.includes('40P01')) seen.deadlocks++;
      if (waited.size > 0) seen.waits++;
    }
    expect(seen.deadlocks).toBeGreaterThan(0);
    expect(seen.waits).toBeGreaterThan(seen.deadlocks);
  });
});
