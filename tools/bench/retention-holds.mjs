// How long a hold's answer takes, counted with its root, while four workers delete without a pause; the journal is a file that is
// forced to the disk, as in the product. Run by itself or by `npm run bench:retention`; `--covered 10000 --holds 20` is smaller.
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepare } from '../prepare.mjs';
import { from, openAuditBench, percentile } from './audit-world.mjs';

const ORGANIZATION = 'org.holds';
const TENANT = `SELECT set_config('app.tenant', '${ORGANIZATION}', true)`;
const WORKERS = 4;
const BATCH = 200;

/** @returns lines of a table: what, milliseconds, aim */
export async function holdAnswers(world, { covered = 100_000, holds = 50 } = {}) {
  await prepareRecords(world.admin, covered);
  const placing = await useCase(world);
  const lines = [];
  for (const workers of [0, WORKERS]) {
    const deleting = startDeleting(world, workers);
    const times = [];
    let late = 0;
    for (let n = 0; n < holds; n++) {
      const started = performance.now();
      const { count } = await placing.run();
      times.push(performance.now() - started);
      if (count === null) late++;
      else if (count.covered !== covered) throw new Error(`a hold counted ${count.covered} of ${covered} records`);
      await free(world.admin);
    }
    const deleted = await deleting.stop();
    const of = (p) => `${percentile(times, p).toFixed(0)} ms`;
    lines.push([
      `hold over ${covered} records, ${workers} deleting workers`,
      `p50 ${of(0.5)}, p99 ${of(0.99)}, max ${of(1)} (${holds} holds, ${late} left to a job; ${deleted} rows deleted beside)`,
      'aim: p99 500 ms, max 2000 ms',
    ]);
  }
  await placing.close();
  return lines;
}

/** The use case of the product on a pool of its own. */
async function useCase(world) {
  const { PrismaUnitOfWork } = await from('platform/database/prisma-unit-of-work.js');
  const { PlaceHold } = await from('modules/holds/app/place-hold.js');
  const { PostgresHolds } = await from('modules/holds/infra/postgres-holds.js');
  const { PrismaTransactionalAudit } = await from('modules/audit/infra/prisma-transactional-audit.js');
  const { NoncePool } = await from('modules/audit/infra/nonce-pool.js');
  const { newRequestId, traceIdOfRequest } = await from('kernel/ids.js');
  const dir = mkdtempSync(join(tmpdir(), 'forecourt-bench-holds-'));
  const file = await open(join(dir, 'journal'), 'a');
  const placing = new PlaceHold({
    unitOfWork: new PrismaUnitOfWork(world.pool(2), 30_000),
    holds: new PostgresHolds(),
    audit: new PrismaTransactionalAudit(new NoncePool()),
    clock: { now: () => Date.now() },
    queue: { add: () => Promise.resolve() },
    journal: {
      append: async (entry) => {
        await file.write(`${JSON.stringify(entry)}\n`);
        await file.datasync();
      },
    },
  });
  const scope = { rooftopIds: ['roof.held'], categories: ['unit_event'], subjects: null, recordIds: null };
  const hold = { matter: 'Bench', reason: 'figures', ...scope, from: null, until: null };
  return {
    run: () => {
      const eventId = newRequestId();
      const origin = { eventId, traceId: traceIdOfRequest(eventId), surface: 'admin', client: null };
      return placing.run(ORGANIZATION, hold, { ...origin, actorKind: 'person', actor: 'staff.bench' });
    },
    close: async () => {
      await file.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Workers that add rows and delete them in guarded batches, one after the other without a pause. */
function startDeleting(world, workers) {
  let stopped = false;
  let deleted = 0;
  const pool = workers === 0 ? undefined : world.pool(workers);
  const work = async (worker) => {
    const client = await pool.connect();
    while (!stopped) {
      await client.query(`BEGIN; ${TENANT}; INSERT INTO unit_events (organization_id, event_id, rooftop_id, vin, kind, source_time, effect)
        SELECT '${ORGANIZATION}', 'gone.${worker}.' || n, 'roof.gone', '1HGCM82633A004352', 'sold', now(), 'applied' FROM generate_series(1, ${BATCH}) AS n ON CONFLICT DO NOTHING; COMMIT`);
      deleted += await client
        .query(
          `BEGIN; ${TENANT}; DELETE FROM unit_events WHERE event_id LIKE 'gone.${worker}.%' AND organization_id = '${ORGANIZATION}'; COMMIT`,
        )
        .then(
          () => BATCH,
          (error) => refused(client, error),
        );
    }
    client.release();
  };
  const working = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return {
    stop: async () => {
      stopped = true;
      await working;
      return deleted;
    },
  };
}

/** Nothing is deleted while a hold is counted: the worker tries again. */
async function refused(client, error) {
  await client.query('ROLLBACK');
  if (error.code !== '23001') throw error;
  return 0;
}

async function prepareRecords(admin, covered) {
  await admin.query(`
    GRANT DELETE ON unit_events TO forecourt_app;
    INSERT INTO organizations (organization_id, name) VALUES ('${ORGANIZATION}', 'Bench');
    INSERT INTO rooftops (organization_id, rooftop_id, name, address, timezone, currency, departments, id_seed)
      SELECT '${ORGANIZATION}', id, 'Bench', '{}', 'UTC', 'USD', '{sales}', decode(repeat('00', 16), 'hex') FROM unnest(ARRAY['roof.held', 'roof.gone']) AS id`);
  await admin.query(
    `INSERT INTO unit_events (organization_id, event_id, rooftop_id, vin, kind, source_time, effect)
     SELECT '${ORGANIZATION}', 'event.01kb8zk5x3f3f.' || md5(n::text), 'roof.held', '1HGCM82633A004352', 'sold', now(), 'applied' FROM generate_series(1, $1::integer) AS n`,
    [covered],
  );
  await admin.query('ANALYZE unit_events');
}

/** So that each hold is the only one: one that is not counted yet would stop the workers. */
const free = (admin) =>
  admin.query(`UPDATE legal_holds SET released_at = now(), free_from = now(), released_by = 'bench', release_reason = 'bench'
    WHERE organization_id = '${ORGANIZATION}' AND released_at IS NULL`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { covered: { type: 'string', default: '100000' }, holds: { type: 'string', default: '50' } },
  });
  // BENCH_DIST names code that was compiled elsewhere.
  if (process.env.BENCH_DIST === undefined) prepare((line) => console.log(`${line} …`));
  const world = await openAuditBench();
  try {
    const size = { covered: Number(values.covered), holds: Number(values.holds) };
    for (const line of await holdAnswers(world, size)) console.log(line.join('  '));
  } finally {
    await world.close();
  }
}
