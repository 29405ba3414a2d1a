import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuditLogWorld } from '../support/audit-log-world.js';

const SEQUENCER = fileURLToPath(new URL('../support/sequencer-process.mjs', import.meta.url));
const WRITERS = 16;
const TRANSACTIONS = 120;
const KILLS = 6;

let world: AuditLogWorld;

beforeAll(async () => {
  world = await AuditLogWorld.open();
  await world.admin.query('CREATE TABLE naive (id bigserial PRIMARY KEY)');
  await world.admin.query(
    'GRANT SELECT, INSERT ON naive TO forecourt_app; GRANT USAGE ON SEQUENCE naive_id_seq TO forecourt_app',
  );
});
afterAll(() => world.close());

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function startSequencer(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SEQUENCER, world.database.appUrl, '40'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((ready) =>
    child.stdout.once('data', () => {
      ready();
    }),
  );
  return child;
}

it('numbers everything once and in one piece, while writers end in any order and sequencers are killed', async () => {
  const organizations = ['org.a', 'org.b', 'org.c'];
  let committed = 0;
  let rolledBack = 0;
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; i < TRANSACTIONS; i++) {
      const client = await world.pool.connect();
      try {
        const count = 1 + ((writer + i) % 4);
        await client.query('BEGIN');
        await world.append(client, organizations[(writer + i) % 3]!, count);
        await client.query('INSERT INTO naive DEFAULT VALUES');
        await pause(((writer * 31 + i * 17) % 40) / 2);
        const gone = (writer * TRANSACTIONS + i) % 100 === 7;
        await client.query(gone ? 'ROLLBACK' : 'COMMIT');
        if (gone) rolledBack++;
        else committed += count;
      } finally {
        client.release();
      }
    }
  };

  const now = { writing: true };
  const killed = (async (): Promise<number> => {
    let kills = 0;
    const steady = await startSequencer(); // two at once, all the time
    while (now.writing || kills < KILLS) {
      const child = await startSequencer();
      await pause(60 + 37 * kills);
      child.kill('SIGKILL');
      kills++;
    }
    steady.kill('SIGKILL');
    return kills;
  })();
  // What counting by the highest number seen would do: the control without which this test would be blind.
  const naive = (async (): Promise<Set<number>> => {
    const seen = new Set<number>();
    let highest = 0;
    while (now.writing) {
      const { rows } = await world.admin.query<{ id: number }>('SELECT id::float8 AS id FROM naive WHERE id > $1', [
        highest,
      ]);
      for (const { id } of rows) {
        seen.add(id);
        highest = Math.max(highest, id);
      }
      await pause(2);
    }
    return seen;
  })();

  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  now.writing = false;
  const [kills, seen] = [await killed, await naive];
  for (let more: number | 'busy' = 1; more !== 0;) more = await world.log.sequence(1000);

  const { rows } = await world.admin.query(`
    SELECT (SELECT count(*)::integer FROM audit_events) AS events, (SELECT count(*)::integer FROM audit_entries) AS numbered,
      (SELECT count(*)::integer FROM (SELECT DISTINCT recorded_at, event_id FROM audit_entries) once) AS once,
      (SELECT count(*)::integer FROM (SELECT seq - row_number() OVER (PARTITION BY organization_id ORDER BY seq) AS d FROM audit_entries) x WHERE d <> -1) AS gaps,
      (SELECT sum(size)::integer FROM audit_logs) AS sizes`);
  expect(rows[0]).toEqual({ events: committed, numbered: committed, once: committed, gaps: 0, sizes: committed });
  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect(rolledBack).toBeGreaterThan(0);
  const all = await world.admin.query<{ id: number }>('SELECT id::float8 AS id FROM naive');
  const highest = Math.max(...seen);
  expect(all.rows.filter(({ id }) => id < highest && !seen.has(id)).length, 'the naive way misses').toBeGreaterThan(0);
  for (const organizationId of organizations)
    expect(await world.verify(organizationId)).toMatchObject({ result: 'intact' });
});
