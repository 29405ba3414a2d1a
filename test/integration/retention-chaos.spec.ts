import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresAuditLog } from '../../src/modules/audit/infra/postgres-audit-log.js';
import { migrate } from '../../src/platform/database/migrator.js';
import { type LocalPostgres, startLocalPostgres } from '../../src/platform/embedded/local-postgres.js';
import { ageAuditLog } from '../support/aged-audit-log.js';
import { recordOf } from '../support/audit-log-world.js';
import { compileService, type CompiledService } from '../support/compiled-service.js';
import { REDACTING, takesOfTheTrail } from '../support/redaction-world.js';
import { ORGANIZATION, RetentionWorld, THIRTY_DAYS } from '../support/retention-world.js';
import { APP_PASSWORD, setDatabasePassword } from '../support/template-database.js';

// RETENTION_CHAOS=10 is ten times as much of everything.
const SCALE = Number(process.env.RETENTION_CHAOS ?? 1);
const LEADS = 1200 * SCALE;
const REDACTED = 200;
/** Of these, before everybody who redacts is killed. */
const IN_BETWEEN = 100;
const KILLS = 3 * SCALE;
const STOPS = Math.max(1, Math.floor(SCALE));
const HOLDS = 20 * SCALE;
const MOST = 30;
const PROCESS = fileURLToPath(new URL('../support/retention-process.mjs', import.meta.url));

let compiled: CompiledService;
let folder: string;
let server: LocalPostgres;
let world: RetentionWorld;
const workers = new Set<ChildProcess>();

const start = (): Promise<LocalPostgres> =>
  startLocalPostgres({ dir: join(folder, 'postgres'), log: () => undefined, settings: ['max_connections=60'] });
const appUrl = (): string => {
  const url = new URL(server.urlOf('forecourt'));
  url.username = 'forecourt_app';
  url.password = APP_PASSWORD;
  return url.toString();
};

beforeAll(async () => {
  [compiled, folder] = await Promise.all([compileService(), mkdtemp(join(tmpdir(), 'forecourt-chaos-'))]);
  server = await start();
  await migrate(server.adminUrl);
  const admin = new pg.Client({ connectionString: server.adminUrl });
  await admin.connect();
  await setDatabasePassword(admin);
  await admin.end();
  world = await RetentionWorld.open({ adminUrl: server.adminUrl, appUrl: appUrl() });
}, 120_000);
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await world.close();
  await server.stop();
  await compiled.remove();
  await rm(folder, { recursive: true, force: true });
});

/** A worker process; it takes whatever run has no worker. */
async function work(): Promise<ChildProcess> {
  const args = [PROCESS, dirname(compiled.main), appUrl(), String(MOST)];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  workers.add(worker);
  await new Promise((ready) => worker.stdout.once('data', ready));
  worker.stdout.resume();
  return worker;
}

/**
 * Every batch that deletes takes a while, on every machine, and waits while a worker is replaced; redactions wait half-way, once all
 * holds are placed. There is always a middle to die in.
 */
const slowDown = (): Promise<unknown> =>
  world.admin.query(
    `CREATE TABLE pauses (paused boolean NOT NULL, redacting boolean NOT NULL);
     INSERT INTO pauses VALUES (false, true);
     GRANT SELECT ON pauses TO PUBLIC;
     CREATE FUNCTION wait_a_little() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_sleep(0.06); WHILE (SELECT paused FROM forecourt.pauses) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NULL; END';
     CREATE TRIGGER wait_a_little BEFORE DELETE ON leads FOR EACH STATEMENT EXECUTE FUNCTION wait_a_little();
     CREATE FUNCTION wait_in_between() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN WHILE (SELECT redacting FROM forecourt.pauses) AND (SELECT count(*) >= ${HOLDS} FROM forecourt.legal_holds) AND (SELECT count(*) >= ${IN_BETWEEN} FROM forecourt.audit_redacted_records) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NULL; END';
     CREATE TRIGGER wait_in_between BEFORE UPDATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION wait_in_between()`,
  );

/** Records of the trail that are over for redaction, each with who acted. */
async function oldRecords(): Promise<void> {
  const nonces = new NoncePool();
  const line = (): string => auditLine(recordOf(ORGANIZATION, { actor: 'agent.old' }), nonces.next());
  const lines = Array.from({ length: REDACTED }, line).join('\n');
  await world.pool.query('SELECT append_audit($1, $2)', [ORGANIZATION, lines]);
  await new PostgresAuditLog(world.pool).sequence(REDACTED);
  await ageAuditLog(world.admin, ORGANIZATION, REDACTED, '2020_01');
}

async function whilePaused(step: () => Promise<unknown>): Promise<void> {
  await world.admin.query('UPDATE pauses SET paused = true');
  await step();
  await world.admin.query('UPDATE pauses SET paused = false');
}

const redacted = async (): Promise<number> =>
  (await world.admin.query<{ n: number }>('SELECT count(*)::integer AS n FROM audit_redacted_records')).rows[0]!.n;

/** Whoever redacts dies between two batches of it, or in one. */
async function killAll(): Promise<void> {
  for (const worker of workers) worker.kill('SIGKILL');
  workers.clear();
  await Promise.all([work(), work()]);
  await world.admin.query('UPDATE pauses SET redacting = false');
  await expireLease();
}

/** As if the half minute of its lease were over. */
const expireLease = (): Promise<unknown> =>
  world.admin.query(`UPDATE retention_runs SET lease_until = now() WHERE state = 'running'`);

/** The server goes down in the middle of everything, and comes back by its log. */
async function crashDatabase(): Promise<void> {
  await world.close();
  const [pid] = (await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGQUIT'); // what `pg_ctl -m immediate` sends
  await delay(300);
  server = await start();
  world = await RetentionWorld.join({ adminUrl: server.adminUrl, appUrl: appUrl() });
}

it('loses no held record and no count, whatever dies in the middle', async () => {
  await world.leads('old.', LEADS, 40);
  await world.leads('young.', 50, 3);
  await oldRecords();
  await world.policy(2, [THIRTY_DAYS, REDACTING]);
  takesOfTheTrail(world);
  await slowDown();
  const run = await world.approved({ beyondBrake: 'chaos' });
  const promised = new Set<string>();
  const progress = async (): Promise<number> => (await world.run(run.runId)).progress.taken / LEADS;
  await work();
  await work();
  let [kills, stops, holds, redacting] = [0, 0, 0, false];
  while ((await world.run(run.runId)).state !== 'done') {
    const done = await progress();
    if (holds < HOLDS) {
      const ids = Array.from({ length: 4 }, () => `old.${String(Math.floor(Math.random() * LEADS)).padStart(6, '0')}`);
      await world.hold(`hold.${holds++}`, { record_ids: ids });
      const { rows } = await world.admin.query<{ id: string }>('SELECT id FROM leads WHERE id = ANY ($1)', [ids]);
      for (const { id } of rows) promised.add(id); // the hold had answered: these are there for good
    }
    if (!redacting && (await redacted()) >= IN_BETWEEN) {
      redacting = true;
      await killAll();
    }
    if (kills < KILLS && done > (kills + 1) / (KILLS + 2)) {
      kills++;
      const [victim] = workers;
      victim?.kill('SIGKILL');
      workers.delete(victim!);
      await whilePaused(work);
      await expireLease();
    }
    if (stops < STOPS && done > (stops + 0.5) / (STOPS + 0.5)) {
      stops++;
      await crashDatabase();
      for (const worker of workers) worker.kill('SIGKILL'); // they know the old port
      workers.clear();
      await Promise.all([work(), work()]);
      await expireLease();
    }
    await delay(20);
  }
  const left = await world.left();
  const { rows } = await world.admin.query<Record<'taken' | 'redacted' | 'listed' | 'recorded' | 'whole', number>>(
    `SELECT sum(taken) FILTER (WHERE action = 'delete')::integer AS taken, sum(taken) FILTER (WHERE action = 'redact')::integer AS redacted,
       (SELECT count(*)::integer FROM audit_redacted_records) AS listed, (SELECT sum(records)::integer FROM audit_redactions) AS recorded,
       (SELECT count(*)::integer FROM audit_events WHERE actor = 'agent.old') AS whole
     FROM retention_batches WHERE run_id = $1`,
    [run.runId],
  );
  const gone = LEADS + 50 - left.length;
  const ended = await world.run(run.runId);
  const record = await world.record(run.runId);
  const once = { redacted: REDACTED, listed: REDACTED, recorded: REDACTED, whole: 0 };
  expect(rows[0], 'every record of the trail is redacted exactly once').toMatchObject(once);
  expect([...promised].filter((id) => !left.includes(id))).toEqual([]);
  expect({ evidence: rows[0]!.taken, ledger: ended.progress.taken, record: record!['taken'] }).toEqual({
    evidence: gone,
    ledger: gone + REDACTED,
    record: gone + REDACTED,
  });
  expect(left.filter((id) => id.startsWith('young.'))).toHaveLength(50);
  expect(left.filter((id) => id.startsWith('old.') && !promised.has(id))).toEqual([]);
  expect({ kills, stops, redacting }).toEqual({ kills: KILLS, stops: STOPS, redacting: true });
}, 600_000);
