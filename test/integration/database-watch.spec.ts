import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseWatch } from '../../src/platform/database/database-watch.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const watching = async (): Promise<number> => {
  const { rows } = await admin.query<{ n: string }>(
    `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'forecourt-watch'`,
  );
  return Number(rows[0]?.n);
};

it('leaves no connection behind, whenever it is stopped: a command would never end', async () => {
  const log = { log: () => undefined, warn: () => undefined };
  const watch = new DatabaseWatch({ url: database.appUrl, silentMs: 5000, log });
  watch.start();
  await expect.poll(watching, { timeout: 20_000 }).toBe(1);
  watch.stop();
  await expect.poll(watching, { timeout: 20_000 }).toBe(0);

  // Questions are put every fifth of a second; these stop before one, in the middle of one and after it.
  for (let after = 195; after < 245; after++) {
    const stopped = new DatabaseWatch({ url: database.appUrl, silentMs: 5000, log });
    stopped.start();
    await new Promise((done) => setTimeout(done, after));
    stopped.stop();
  }
  await new Promise((done) => setTimeout(done, 500)); // what would have come after it has come
  expect(await watching()).toBe(0);
});
