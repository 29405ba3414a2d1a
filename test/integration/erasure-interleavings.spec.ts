import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { everyInterleaving, type Step } from '../support/interleavings.js';

const GROUP = 'org.a';
const NAMES = `'{"person":["staff.jane"]}'::jsonb`;

let database: TestDatabase;
let watcher: pg.Client;
let holding: pg.Client;
let erasing: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
    await client.connect();
    return client;
  };
  [watcher, holding, erasing] = [await connect(), await connect(), await connect()];
  await watcher.query(`INSERT INTO organizations (organization_id, name) VALUES ('${GROUP}', 'A')`);
  await watcher.query('ALTER TABLE legal_holds DISABLE TRIGGER USER'); // so that each order begins without one
});
afterAll(async () => {
  await Promise.all([watcher, holding, erasing].map((client) => client.end()));
  await database.drop();
});

const prepare = async (): Promise<void> => {
  await watcher.query(`DELETE FROM legal_holds;
    INSERT INTO staff_persons (organization_id, person_id, name, role, disabled_at, created_at, updated_at)
    VALUES ('${GROUP}', 'staff.jane', 'Jane', 'auditor', now(), now(), now())
    ON CONFLICT (organization_id, person_id) DO UPDATE SET name = 'Jane'`);
};

interface Seen {
  readonly orders: number;
  readonly lost: number;
  readonly erased: number;
  readonly refused: number;
}

/** How many orders there are, in how many a record was erased although the hold was there first, and in how many it went before. */
async function lost(hold: readonly Step[], erase: readonly Step[]): Promise<Seen> {
  const seen = { orders: 0, lost: 0, erased: 0, refused: 0 };
  const pair = { a: { client: holding, steps: hold }, b: { client: erasing, steps: erase } };
  for await (const { ended, refused } of everyInterleaving(watcher, pair, prepare)) {
    const { rows } = await watcher.query<{ name: string }>('SELECT name FROM staff_persons');
    const erased = rows[0]?.name === 'erased';
    seen.orders++;
    if (erased) seen.erased++;
    if (erased && ended[0] === 'a') seen.lost++;
    if (Object.keys(refused).length > 0) seen.refused++;
  }
  return seen;
}

const begin = `BEGIN; SELECT set_config('app.tenant', '${GROUP}', true); SET LOCAL ROLE forecourt_app`;
const insert = `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, subjects, covered, root, counted_at)
  VALUES ('${GROUP}', 'hold.a', 'm', 'r', 'staff.x', '{staff.jane}', 1, sha256(''), now())`;
const hold: readonly Step[] = ['BEGIN', `SELECT lock_out_deletions('${GROUP}')`, insert, 'COMMIT'];

let free: string[] = [];
const look: Step = async () => {
  const { rows } = await erasing.query<{ record_id: string; holds: object[] }>(
    `SELECT record_id, holds FROM subject_records('staff_persons', ${NAMES}, '', 10)`,
  );
  free = rows.filter(({ holds }) => holds.length === 0).map(({ record_id: id }) => id);
};
const erase: Step = () =>
  erasing.query(`SELECT erase_subject_records('staff_persons', ${NAMES}, $1, 'erased:privacy.a')`, [free]);

describe('every interleaving of a hold and an erasure', () => {
  it('loses no hold, and the erasure takes what it may when it comes first', async () => {
    const steps = [begin, `SELECT join_deletions('${GROUP}')`, look, erase, 'COMMIT'];
    const { erased, ...seen } = await lost(hold, steps);
    expect(seen).toEqual({ orders: 126, lost: 0, refused: 0 });
    expect(erased).toBeGreaterThan(0);
  });

  it('loses none either where the caller forgot the lock: the erasure itself locks and looks again', async () => {
    expect(await lost(hold, [begin, look, erase, 'COMMIT'])).toMatchObject({ orders: 70, lost: 0 });
  });

  it('would lose some if it looked and erased like any program: the orders above can be seen', async () => {
    const naive: Step = () =>
      erasing.query(`UPDATE staff_persons SET name = 'erased' WHERE person_id = ANY ($1)`, [free]);
    const open = `BEGIN; SELECT set_config('app.tenant', '${GROUP}', true)`;
    expect(await lost(['BEGIN', insert, 'COMMIT'], [open, look, naive, 'COMMIT'])).toMatchObject({
      orders: 35,
      lost: 16,
    });
  });
});
