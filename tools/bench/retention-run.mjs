// A table of many records that are over, and a run over it that is carried out by a worker process.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { residentMiB } from './load.mjs';

/** Until the run has seen that readers came or went. */
const SETTLE_MS = 3000;

const RULE = {
  rule_id: 'lead.thirty-days',
  category: 'lead',
  jurisdiction: '*',
  clock: 'created',
  floor: null,
  ceiling: { count: 30, unit: 'days' },
  action: 'delete',
  ground: 'bench',
  citation: 'bench',
};

export async function openRetentionBench(adminUrl, organizationId, records) {
  const admin = new pg.Client({ connectionString: adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  const one = async (text, parameters) => (await admin.query(text, parameters)).rows[0];
  await admin.query(`
    CREATE TABLE bench_leads (organization_id text NOT NULL, id text NOT NULL, rooftop_id text NOT NULL, at timestamptz NOT NULL, body text NOT NULL,
      PRIMARY KEY (organization_id, id));
    ALTER TABLE bench_leads OWNER TO forecourt_owner;
    SELECT isolate_tenant_table('bench_leads'), govern_table('bench_leads', 'lead', 'r.id', 'ARRAY[r.rooftop_id]', '''{}''::text[]', '{"created":"r.at"}')`);
  await admin.query(
    `INSERT INTO bench_leads SELECT $1, 'lead.' || lpad(i::text, 10, '0'), 'roof.' || i % 20, now() - interval '60 days' + i * interval '1 ms', repeat('x', 200)
     FROM generate_series(1, $2::bigint) AS i`,
    [organizationId, records],
  );
  await admin.query('CREATE INDEX bench_leads_by_age ON bench_leads (organization_id, at)');
  await admin.query('VACUUM ANALYZE bench_leads');
  await admin.query(
    `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
     VALUES ($1, 1, 'bench', 'Bench', $2, repeat('a', 64), 'draft', 'a', 'bench', 'apr', '{a,b}', now())`,
    [organizationId, JSON.stringify({ rules: [RULE], rooftops: [] })],
  );
  await admin.query(
    `INSERT INTO retention_runs (organization_id, run_id, requester_kind, requested_by, reason, categories, beyond_brake, hash_key)
     VALUES ($1, 'ret.bench', 'person', 'bench', 'bench', '{lead}', 'bench', sha256('bench'))`,
    [organizationId],
  );
  const stateOf = async () => (await one(`SELECT state FROM retention_runs`)).state;
  const until = async (...states) => {
    while (!states.includes(await stateOf())) await delay(200);
  };
  return {
    /** @param meanwhile what is measured while batches go */
    run: async (pid, meanwhile) => {
      await until('previewed', 'halted');
      // Two people: what they would do is not measured.
      await admin.query(`BEGIN; ALTER TABLE retention_runs DISABLE TRIGGER USER;
        UPDATE retention_runs SET state = 'approved', approval_id = 'apr', approvers = '{b,c}', approved_at = now() WHERE state = 'previewed';
        ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_steps; ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_progress; COMMIT`);
      const before = residentMiB(pid);
      await until('running', 'done', 'halted');
      const samples = [];
      const watching = { on: true };
      const watch = (async () => {
        while (watching.on) {
          const { taken } = await one('SELECT taken::float8 AS taken FROM retention_runs');
          samples.push({ taken, mib: residentMiB(pid) });
          await delay(1000);
        }
      })();
      const clock = async () => (await one('SELECT clock_timestamp() AS at')).at;
      const begun = await clock();
      const measured = await meanwhile();
      const ended = await clock();
      const working = (await stateOf()) === 'running';
      await until('done', 'halted');
      watching.on = false;
      await watch;
      const beside = await batches(one, new Date(begun.getTime() + SETTLE_MS), ended);
      const alone = await batches(one, new Date(ended.getTime() + SETTLE_MS), new Date('9999-01-01'));
      return {
        ...(await outcome(one)),
        beside,
        alone,
        ...memory(samples),
        before,
        reads: working ? measured : undefined,
      };
    },
    close: () => admin.end(),
  };
}

async function outcome(one) {
  const run =
    await one(`SELECT state, halted_for, extract(epoch FROM previewed_at - as_of)::float8 AS preview, extract(epoch FROM finished_at - approved_at)::float8 AS whole
    FROM retention_runs`);
  if (run.state !== 'done') throw new Error(`the run was ${run.state}: ${run.halted_for}`);
  const { taken } = await one('SELECT sum(taken)::float8 AS taken FROM retention_batches');
  return { taken, wholeSeconds: run.whole, previewSeconds: run.preview };
}

/** Batches between two moments. */
async function batches(one, from, to) {
  const found = await one(
    `SELECT count(*)::integer AS number, sum(taken)::float8 AS taken, extract(epoch FROM max(at) - min(at))::float8 AS seconds,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY gap)::float8 AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY gap)::float8 AS p99
     FROM (SELECT taken, at, extract(epoch FROM at - lag(at) OVER (ORDER BY number)) * 1000 AS gap FROM retention_batches) AS b
     WHERE at BETWEEN $1 AND $2`,
    [from, to],
  );
  return found.number < 20 ? undefined : { ...found, rate: Math.round(found.taken / found.seconds) };
}

/** Most memory, and how it grows by the records, after the first tenth. */
function memory(samples) {
  const resident = Math.max(...samples.map(({ mib }) => mib));
  const late = samples.slice(Math.ceil(samples.length / 10));
  const [first, last] = [late[0], late.at(-1)];
  const records = (last?.taken ?? 0) - (first?.taken ?? 0);
  return { resident, slope: records === 0 ? 0 : ((last.mib - first.mib) / records) * 1e6 };
}
