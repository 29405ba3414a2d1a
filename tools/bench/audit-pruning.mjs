// How fast a retention run takes the beginning of an audit trail away: whole months, and row by row; with the WAL of both.
// `node tools/bench/audit-pruning.mjs --rows 1000000` (10,000,000 unless told otherwise; a tenth of them row by row).
import { parseArgs } from 'node:util';
import { openAuditBench } from './audit-world.mjs';

const MONTHS = 10;
const WHOLE = 'org.months';
const ROWS = 'org.rows';
const { values } = parseArgs({ options: { rows: { type: 'string', default: '10000000' } } });
const tile = (count) => Math.ceil(count / 256) * 256;
const count = tile(Number(values.rows));

const bench = await openAuditBench();
const { admin } = bench;
try {
  for (const organization of [WHOLE, ROWS]) await addOrganization(organization);
  await addMonths();
  await fill(WHOLE, count, 0);
  await fill(ROWS, tile(count / 10), 90); // in this year, whose months others need
  await admin.query('VACUUM ANALYZE audit_events, audit_entries');
  for (const [organization, rows] of [
    [WHOLE, count],
    [ROWS, tile(count / 10)],
  ])
    await prune(organization, rows);
  await admin.query('CHECKPOINT');
  report('months at once', await measured(count, dropMonths));
  report('entries of these months', await measured(count, () => deleteRows(WHOLE)));
  report('row by row, records and entries', await measured(tile(count / 10), () => deleteRows(ROWS)));
} finally {
  await bench.close();
}

async function addOrganization(organization) {
  await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ('${organization}', 'Bench')`);
  await admin.query(`INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
    VALUES ('${organization}', 1, 'bench', 'Bench', '{}', repeat('b', 64), 'draft.1', 'person.a', 'bench', 'approval.1', '{person.b,person.c}', now())`);
}

/** Ten months of 2020, made like any other. */
async function addMonths() {
  for (let month = 1; month <= MONTHS; month++) {
    const name = `audit_events_2020_${String(month).padStart(2, '0')}`;
    const at = (n) => new Date(Date.UTC(2020, n - 1, 1)).toISOString();
    await admin.query(`SET ROLE forecourt_owner;
      CREATE TABLE ${name} (LIKE audit_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED);
      SELECT guard_audit_month('${name}'); SELECT isolate_tenant_table('${name}');
      ALTER TABLE audit_events ATTACH PARTITION ${name} FOR VALUES FROM ('${at(month)}') TO ('${at(month + 1)}'); RESET ROLE`);
  }
}

/** Records evenly over the ten months, or over the last days before now, each with its place in the log. */
async function fill(organization, rows, daysBack) {
  const [from, span] =
    daysBack === 0
      ? [`'2020-01-01Z'::timestamptz`, `interval '304 days'`]
      : [`date_trunc('month', now(), 'UTC')`, `(now() - date_trunc('month', now(), 'UTC')) * 0.9`];
  for (let at = 0; at < rows; at += 250_000) {
    const to = Math.min(rows, at + 250_000);
    await admin.query(`INSERT INTO audit_events (recorded_at, event_id, xid, organization_id, occurred_at, trace_id, surface, operation, actor_kind, actor, rooftop_ids, resource_ids,
        decision, outcome, canon, nonce)
      SELECT ${from} + ${span} * (n::float8 / ${rows}), '${organization}.' || lpad(n::text, 20, '0'), '3', '${organization}', now(), 'trc_' || lpad(n::text, 26, '0'), 'mcp',
        'dealeragent.inventory.search', 'agent', 'agent.' || n % 400, ARRAY['roof.' || n % 300], ARRAY['veh.' || n % 100000], 'allow', 'succeeded',
        convert_to(repeat(md5(n::text), 12), 'UTF8'), decode(md5(n::text), 'hex') FROM generate_series(${at}, ${to - 1}) AS n`);
  }
  await admin.query(`INSERT INTO audit_entries (organization_id, seq, recorded_at, event_id, leaf_hash)
    SELECT organization_id, row_number() OVER (ORDER BY event_id) - 1, recorded_at, event_id, leaf FROM audit_events WHERE organization_id = '${organization}'`);
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

async function deleteRows(organization) {
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

async function measured(rows, work) {
  const wal = async () => Number((await admin.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS at`)).rows[0].at);
  const [before, begun] = [await wal(), performance.now()];
  await work();
  const seconds = (performance.now() - begun) / 1000;
  return { rows, seconds, wal: (await wal()) - before };
}

function report(what, { rows, seconds, wal }) {
  console.log(
    `${what}: ${rows} rows in ${seconds.toFixed(2)} s, ${Math.round(rows / seconds)} rows/s, WAL ${(wal / 1e6).toFixed(1)} MB`,
  );
}
