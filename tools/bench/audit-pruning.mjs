// How fast a retention run takes the beginning of an audit trail away: whole months with their entries, and row by row; with the
// CPU time of the database and the WAL of both. It makes a database of its own and removes it.
// `node tools/bench/audit-pruning.mjs --rows 10000000 --single 1000000` (1,000,000 and 100,000 unless told otherwise; ten million
// take some 20 GB of disk, and minutes to make).
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openAuditBench } from './audit-world.mjs';

const MONTHS = 10;
const WHOLE = 'org.months';
const ROWS = 'org.rows';
const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, single: { type: 'string', default: '100000' } },
});
const tile = (count) => Math.ceil(count / 256) * 256;
const [count, single] = [tile(Number(values.rows)), tile(Number(values.single))];

const bench = await openAuditBench();
const { admin } = bench;
const backend = (await admin.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
try {
  await admin.query(`ALTER SYSTEM SET max_wal_size = '16GB'; `);
  await admin.query(`ALTER SYSTEM SET checkpoint_timeout = '1h'`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.query(`SET synchronous_commit = off; SET maintenance_work_mem = '256MB'`);
  for (const organization of [WHOLE, ROWS]) await addOrganization(organization);
  for (let month = 1; month <= MONTHS; month++) await addMonth(month);
  const rowsFrom = `date_trunc('month', now(), 'UTC')`;
  await fill('audit_events', ROWS, 0, single, rowsFrom, `(now() - ${rowsFrom}) * 0.9 / ${single}`); // in a month that others need
  await number(WHOLE, '2020-01-01Z', '2021-01-01Z');
  await number(ROWS, '2021-01-01Z', '2100-01-01Z');
  await admin.query('VACUUM ANALYZE audit_events, audit_entries, audit_tiles');
  await prune(WHOLE, count);
  await prune(ROWS, single);
  console.log(`made ${count} and ${single} rows in ${(performance.now() / 1000).toFixed(0)} s`);
  await admin.query('CHECKPOINT');
  await admin.query('RESET synchronous_commit');
  const parts = [
    await report('months at once', count, dropMonths),
    await report('evidence of their rows', count, () => takeRows(WHOLE)),
    await report('their entries at once', count, dropYear),
  ];
  sum('partition path, all of it', count, parts);
  sum('row path, records and entries', single, [await report('row by row', single, () => takeRows(ROWS))]);
} finally {
  await bench.close();
}

async function addOrganization(organization) {
  await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ('${organization}', 'Bench')`);
  await admin.query(`INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
    VALUES ('${organization}', 1, 'bench', 'Bench', '{}', repeat('b', 64), 'draft.1', 'person.a', 'bench', 'approval.1', '{person.b,person.c}', now())`);
}

/** A month of 2020, made like any other; filled before it is attached, which makes its indexes at once. */
async function addMonth(month) {
  const name = `audit_events_2020_${String(month).padStart(2, '0')}`;
  const at = (n) => new Date(Date.UTC(2020, n - 1, 1)).toISOString();
  const [from, to] = [Math.floor((count * (month - 1)) / MONTHS), Math.floor((count * month) / MONTHS)];
  await admin.query(`SET ROLE forecourt_owner; SELECT ensure_audit_year('${at(month)}');
    CREATE TABLE ${name} (LIKE audit_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED); RESET ROLE`);
  await fill(name, WHOLE, from, to, `'${at(month)}'::timestamptz`, `interval '28 days' / ${to - from}`);
  await admin.query(`SET ROLE forecourt_owner; SELECT guard_audit_month('${name}'), isolate_tenant_table('${name}');
    ALTER TABLE audit_events ATTACH PARTITION ${name} FOR VALUES FROM ('${at(month)}') TO ('${at(month + 1)}'); RESET ROLE`);
}

/** Records one after the other. */
async function fill(table, organization, from, to, first, step) {
  for (let at = from; at < to; at += 250_000)
    await admin.query(`INSERT INTO ${table} (recorded_at, event_id, xid, organization_id, occurred_at, trace_id, surface, operation, actor_kind, actor, rooftop_ids, resource_ids,
        decision, outcome, canon, nonce)
      SELECT ${first} + ${step} * (n - ${from}), 'evt_' || md5(n || '${organization}'), '3', '${organization}', now(), 'trc_' || lpad(n::text, 26, '0'), 'mcp',
        'dealeragent.inventory.search', 'agent', 'agent.' || n % 400, ARRAY['roof.' || n % 300], ARRAY['veh.' || n % 100000], 'allow', 'succeeded',
        convert_to(repeat(md5(n::text), 12), 'UTF8'), decode(md5(n::text), 'hex') FROM generate_series(${at}, ${Math.min(to, at + 250_000) - 1}) AS n`);
}

/** Places in the log, and tiles: those of level 1 are there where their rows are. */
async function number(organization, from, to) {
  await admin.query(`INSERT INTO audit_entries (organization_id, seq, recorded_at, event_id, leaf_hash)
    SELECT organization_id, row_number() OVER (ORDER BY recorded_at, event_id) - 1, recorded_at, event_id, leaf FROM audit_events
    WHERE organization_id = '${organization}' AND recorded_at >= '${from}' AND recorded_at < '${to}'`);
  await admin.query(`INSERT INTO audit_tiles (organization_id, tile_level, tile_index, hashes)
    SELECT '${organization}', 0, seq / 256, string_agg(leaf_hash, '' ORDER BY seq) FROM audit_entries WHERE organization_id = '${organization}' GROUP BY seq / 256 HAVING count(*) = 256`);
  await admin.query(`INSERT INTO audit_tiles (organization_id, tile_level, tile_index, hashes)
    SELECT '${organization}', 1, tile_index / 256, string_agg(sha256(hashes), '' ORDER BY tile_index) FROM audit_tiles
    WHERE organization_id = '${organization}' AND tile_level = 0 GROUP BY tile_index / 256 HAVING count(*) = 256`);
}

/** An approved run that recorded its pruning of all these rows: the root, which deleting does not look at, is made up. */
async function prune(organization, rows) {
  await admin.query(`INSERT INTO retention_runs (organization_id, run_id, state, requester_kind, requested_by, reason, hash_key, as_of, policy_id, policy_version, policy_hash, cutoffs, preview,
      preview_hash, preview_expires_at, approval_id, approvers, approved_at, lease, position)
    SELECT '${organization}', 'run.bench', 'running', 'person', 'person.a', 'bench', decode(repeat('05', 32), 'hex'), now(), 'bench', 1, repeat('b', 64),
      jsonb_build_array(jsonb_build_object('category', 'audit_event', 'clock', 'created', 'action', 'delete', 'standard', c, 'unknown', c, 'rooftops', '[]'::jsonb)),
      '{"over": 1000000000}', repeat('b', 64), now() + interval '1 day', 'approval.2', '{person.b,person.c}', now(), 1, '{"audit_event": {"phase": "rows", "at": 0}}'
    FROM jsonb_build_object('floorBefore', null, 'ceilingBefore', (extract(epoch FROM now()) * 1000)::bigint) AS c`);
  await admin.query(`WITH pruned AS (
      INSERT INTO audit_prunings (organization_id, min_index, size, root, policy, run_id, event_id)
      VALUES ('${organization}', ${rows}, ${rows}, sha256('bench'), 'bench@1', 'run.bench', '${organization}.pruned') RETURNING pruned_at)
    INSERT INTO audit_entries (organization_id, seq, recorded_at, event_id, leaf_hash) SELECT '${organization}', ${rows}, pruned_at, '${organization}.pruned', sha256('bench') FROM pruned`);
}

async function dropMonths() {
  for (let month = 1; month <= MONTHS; month++) {
    const { rows } = await admin.query(`SELECT drop_audit_month(make_date(2020, ${month}, 1)) AS vaulted`);
    if (rows[0].vaulted === null) throw new Error(`month ${month} was not dropped`);
  }
}

async function dropYear() {
  const { rows } = await admin.query('SELECT drop_audit_year(2020) AS dropped');
  if (!rows[0].dropped) throw new Error('the year was not dropped');
}

async function takeRows(organization) {
  for (let finished = false; !finished;) {
    const { rows } = await admin
      .query(
        `BEGIN; SELECT set_config('app.tenant', '${organization}', true); SELECT kind, finished FROM prune_audit_batch('run.bench', 1, 1000); COMMIT`,
      )
      .then((all) => all[2]);
    if (rows[0].kind !== 'done') throw new Error('the run waits');
    finished = rows[0].finished;
  }
}

/** Seconds, CPU seconds of the connection's process (Linux alone tells) and bytes of WAL of some work. */
async function report(what, rows, work) {
  const wal = async () => Number((await admin.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS at`)).rows[0].at);
  const before = { wal: await wal(), cpu: cpuSeconds(), at: performance.now() };
  await work();
  const spent = {
    seconds: (performance.now() - before.at) / 1000,
    cpu: cpuSeconds() - before.cpu,
    wal: (await wal()) - before.wal,
  };
  sum(`  ${what}`, rows, [spent]);
  return spent;
}

function sum(what, rows, parts) {
  const [seconds, cpu, wal] = ['seconds', 'cpu', 'wal'].map((key) => parts.reduce((all, part) => all + part[key], 0));
  console.log(
    `${what}: ${rows} rows in ${seconds.toFixed(2)} s (${Math.round(rows / seconds)} rows/s), ${cpu.toFixed(2)} s of CPU, WAL ${(wal / 1e6).toFixed(1)} MB`,
  );
}

function cpuSeconds() {
  try {
    return Number(readFileSync(`/proc/${backend}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return NaN;
  }
}
