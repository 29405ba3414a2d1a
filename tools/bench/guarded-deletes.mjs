import { readFileSync } from 'node:fs';

// What the guard of legal holds costs where rows are deleted: without it, and with no, one and fifty holds of which none covers
// a row, so that each is looked at to the end. In one statement and in batches as runs of retention take them.
const ORGANIZATION = 'org.guarded';
const BATCH = 1000;

/** Vehicles of superseded snapshots, whose age and state stand in another table; and events, which say everything themselves. */
const TABLES = {
  units: `INSERT INTO units (organization_id, snapshot_id, vehicle_id, rooftop_id, vin, stock_number, year, make, model, condition, availability, observed_at, withheld, record,
            source_line, source_record, column_map, sha256, run_id)
          SELECT '${ORGANIZATION}', 'snap.' || n % 200, 'veh.' || n, 'roof.' || n % 20, translate(upper(substr(md5(n::text), 1, 17)), 'IOQ', '123'), 's', 2020, 'Make', 'Model', 'used',
            'available', now(), 'bench', '{}', 1, 1, 0, repeat('a', 64), 'run.bench' FROM generate_series(1, $1::integer) AS n`,
  unit_events: `INSERT INTO unit_events (organization_id, event_id, rooftop_id, vin, kind, source_time, effect)
          SELECT '${ORGANIZATION}', 'event.' || n, 'roof.' || n % 20, translate(upper(substr(md5(n::text), 1, 17)), 'IOQ', '123'), 'sold', now(), 'applied'
          FROM generate_series(1, $1::integer) AS n`,
};

/** @returns lines of a table: what, rows for each second of the database's processor time, and how much more of it than without the guard */
export async function guardedDeletes({ admin }, { rows = 200_000, rounds = 3 } = {}) {
  await prepareRecords(admin);
  const lines = [];
  for (const [table, fill] of Object.entries(TABLES)) {
    const plain = {};
    for (const holds of [undefined, 0, 1, 50]) {
      await placeHolds(admin, holds ?? 0);
      await admin.query(
        `ALTER TABLE ${table} ${holds === undefined ? 'DISABLE' : 'ENABLE ALWAYS'} TRIGGER guard_holds`,
      );
      for (const [kind, remove] of Object.entries({ statement: inOne, batches: inBatches })) {
        const rates = [];
        for (let round = 0; round < rounds; round++) {
          await admin.query(fill, [rows]);
          await admin.query(`ANALYZE ${table}`);
          rates.push(await timed(admin, rows, () => remove(admin, table)));
        }
        const rate = rates.toSorted((a, b) => a - b)[rounds >> 1];
        plain[kind] ??= rate;
        const guard = holds === undefined ? 'no guard' : `${holds} holds`;
        lines.push([
          `${table}, ${kind}, ${guard}`,
          `${Math.round(rate)} rows/s, ${(plain[kind] / rate).toFixed(2)} times the time`,
          holds === undefined ? '' : 'aim: 80000/s',
        ]);
      }
    }
  }
  return lines;
}

/** Rows for each second of the backend's processor time: what else goes on on the machine does not count. */
async function timed(admin, rows, work) {
  const before = await processorMs(admin);
  await work();
  return (rows / ((await processorMs(admin)) - before)) * 1000;
}

/** Of the server process behind a connection, which must be on this machine (Linux: ticks of 10 ms). */
async function processorMs(admin) {
  const { rows } = await admin.query('SELECT pg_backend_pid() AS pid');
  const fields = readFileSync(`/proc/${rows[0].pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const inOne = (admin, table) => admin.query(`DELETE FROM ${table} WHERE organization_id = '${ORGANIZATION}'`);

/** By place, which the run knows: what finding the rows costs is not measured. */
async function inBatches(admin, table) {
  const { rows } = await admin.query(
    `SELECT ctid::text AS place FROM ${table} WHERE organization_id = '${ORGANIZATION}'`,
  );
  const text = `DELETE FROM ${table} WHERE organization_id = '${ORGANIZATION}' AND ctid = ANY ($1::tid[])`;
  for (let at = 0; at < rows.length; at += BATCH)
    await admin.query({ name: `batch-${table}`, text, values: [rows.slice(at, at + BATCH).map(({ place }) => place)] });
}

async function prepareRecords(admin) {
  await admin.query(`
    INSERT INTO organizations (organization_id, name) VALUES ('${ORGANIZATION}', 'Bench');
    INSERT INTO rooftops (organization_id, rooftop_id, name, address, timezone, currency, departments, id_seed)
      SELECT '${ORGANIZATION}', 'roof.' || n, 'Bench', '{}', 'UTC', 'USD', '{sales}', decode(repeat('00', 16), 'hex') FROM generate_series(0, 19) AS n;
    INSERT INTO feeds (organization_id, feed_id, name, profile, rooftops) VALUES ('${ORGANIZATION}', 'feed.bench', 'Bench', 'auto', '{}');
    INSERT INTO feed_files (organization_id, sha256, bytes, storage_key, original_name) VALUES ('${ORGANIZATION}', repeat('a', 64), 0, 'aa', 'bench');
    INSERT INTO feed_runs (organization_id, run_id, feed_id, sha256, origin, state) VALUES ('${ORGANIZATION}', 'run.bench', 'feed.bench', repeat('a', 64), 'upload', 'published');
    INSERT INTO snapshots (organization_id, snapshot_id, rooftop_id, feed_id, run_id, attempt, state)
      SELECT '${ORGANIZATION}', 'snap.' || n, 'roof.' || n % 20, 'feed.bench', 'run.bench', 1, 'superseded' FROM generate_series(0, 199) AS n;
    ANALYZE snapshots`);
}

/** By rooftop, by people, by time and by record, in turns; counted, in force, and beside everything that is there. */
async function placeHolds(admin, count) {
  await admin.query(
    `ALTER TABLE legal_holds DISABLE TRIGGER USER; DELETE FROM legal_holds; ALTER TABLE legal_holds ENABLE ALWAYS TRIGGER only_counting_and_release`,
  );
  await admin.query(
    `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, covered, root, counted_at, rooftop_ids, subjects, record_ids, until_time)
     SELECT '${ORGANIZATION}', 'hold.' || n, 'Bench', 'bench', 'bench', 0, sha256('bench'), now(),
       CASE WHEN n % 4 = 1 THEN ARRAY(SELECT 'other.' || i FROM generate_series(1, 5) AS i) END,
       CASE WHEN n % 4 = 2 THEN ARRAY(SELECT 'person.' || n || '.' || i FROM generate_series(1, 20) AS i) END,
       CASE WHEN n % 4 = 3 THEN ARRAY(SELECT 'record.' || n || '.' || i FROM generate_series(1, 1000) AS i) END,
       CASE WHEN n % 4 = 0 THEN timestamptz '2020-01-01' END
     FROM generate_series(1, $1::integer) AS n`,
    [count],
  );
}
