import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyInterleaving, type Step } from '../support/interleavings.js';
import { cutoffsUntil, PruningWorld } from '../support/pruning-world.js';

const GROUP = 'org.redacting';

let world: PruningWorld;
let a: pg.Client;
let b: pg.Client;
let [orders, runId, eventId] = [0, '', ''];

beforeAll(async () => {
  world = await PruningWorld.open();
  await world.addOrganization(GROUP);
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: world.log.database.adminUrl,
      options: '-c search_path=forecourt',
    });
    await client.connect();
    return client;
  };
  [a, b] = [await connect(), await connect()];
  // Holds are taken back between the orders, and a redaction needs no record of it: this is about holds.
  await world.log.admin.query(
    `ALTER TABLE legal_holds DISABLE TRIGGER USER; ALTER TABLE audit_redactions DISABLE TRIGGER USER`,
  );
});
afterAll(async () => {
  await Promise.all([a, b].map((client) => client.end()));
  await world.close();
});

/** A record that says who acted, and a run to which it is over. */
async function prepare(): Promise<void> {
  const { admin, pool } = world.log;
  await admin.query('DELETE FROM legal_holds');
  await world.log.append(pool, GROUP, 1);
  const { rows } = await admin.query<{ id: string }>('SELECT event_id AS id FROM audit_events WHERE nonce IS NOT NULL');
  eventId = rows.at(-1)!.id;
  runId = `run.${++orders}`;
  await world.addRun(GROUP, runId, { ...cutoffsUntil(Date.now() + 86_400_000), action: 'redact' });
}

const begin = `BEGIN; SELECT set_config('app.tenant', '${GROUP}', true)`;
const batch: Step = () => a.query(`SELECT kind FROM dispose_batch($1, 1, 'audit_event', 1000, 'redact', $1)`, [runId]);
const insert = `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, covered, root, counted_at)
  VALUES ('${GROUP}', 'hold.a', 'm', 'r', 'person.a', 1, sha256(''), now())`;
const hold: readonly Step[] = ['BEGIN', `SELECT lock_out_deletions('${GROUP}')`, insert, 'COMMIT'];

interface Seen {
  readonly orders: number;
  /** The hold had answered, and the values went all the same. */
  readonly lost: number;
  readonly redacted: number;
  readonly refused: number;
}

async function all(redacting: readonly Step[]): Promise<Seen> {
  const seen = { orders: 0, lost: 0, redacted: 0, refused: 0 };
  const pair = { a: { client: a, steps: redacting }, b: { client: b, steps: hold } };
  for await (const { ended, refused } of everyInterleaving(world.log.admin, pair, prepare)) {
    const { rows } = await world.log.admin.query<{ gone: boolean }>(
      'SELECT nonce IS NULL AS gone FROM audit_events WHERE event_id = $1',
      [eventId],
    );
    const gone = rows[0]?.gone === true;
    seen.orders++;
    if (gone) seen.redacted++;
    if (gone && ended[0] === 'b') seen.lost++;
    if (refused.a !== undefined) seen.refused++;
  }
  return seen;
}

describe('every interleaving of a hold and a batch that redacts', () => {
  it('loses no hold, and the batch takes what it may when it comes first', async () => {
    const { redacted, ...seen } = await all([begin, batch, 'COMMIT']);
    expect(seen).toEqual({ orders: 35, lost: 0, refused: 0 });
    expect(redacted).toBeGreaterThan(0);
    expect(redacted).toBeLessThan(35);
  });

  it('loses none either where a program looks and redacts by itself: the guard of the table refuses', async () => {
    const seen = await all(naive);
    expect(seen).toMatchObject({ orders: 70, lost: 0 });
    expect(seen.refused).toBeGreaterThan(0);
  });

  it('would lose some without the guard, and a batch without its lock: the orders above can be seen', async () => {
    const { admin } = world.log;
    await admin.query('ALTER TABLE audit_events DISABLE TRIGGER guard_holds_on_update');
    expect((await all(naive)).lost).toBe(30);
    await admin.query(`CREATE OR REPLACE FUNCTION join_deletions(p_organization text) RETURNS void LANGUAGE sql AS ''`);
    expect((await all([begin, batch, 'COMMIT'])).lost).toBeGreaterThan(0);
  });
});

let free = false;
const naive: readonly Step[] = [
  begin,
  async () => {
    const { rows } = await a.query<{ n: number }>('SELECT count(*)::integer AS n FROM legal_holds');
    free = rows[0]?.n === 0;
    await a.query('SET LOCAL ROLE forecourt_retention');
  },
  () =>
    a.query('UPDATE audit_events SET actor = NULL, client = NULL, nonce = NULL WHERE event_id = $1 AND $2', [
      eventId,
      free,
    ]),
  'COMMIT',
];
