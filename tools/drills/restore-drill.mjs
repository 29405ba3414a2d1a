// `npm run drill:restore`: yesterday's database, today's journal. Starts a database and the service of its own, works a day, loses the
// database, restores the copy of yesterday, and looks whether the service refuses, replays and opens with everything that the
// day brought. `-- --entries 10000` makes the day longer. Ends with 1 when anything is not as it should be.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { prepare, ROOT } from '../prepare.mjs';
import { revokeMany, seedKeys } from './revoke-many.mjs';

const { values } = parseArgs({ options: { entries: { type: 'string', default: '100' } } });
const ENTRIES = Number(values.entries);
// BENCH_DIST names code that was compiled elsewhere.
if (process.env.BENCH_DIST === undefined) prepare((line) => console.log(`${line} …`));
const DIST = process.env.BENCH_DIST ?? join(ROOT, 'dist');
const from = (path) => import(pathToFileURL(join(DIST, path)).href);
const GROUP = 'org.harbor-auto-group'; // of the demo
const dir = mkdtempSync(join(tmpdir(), 'forecourt-drill-'));
const findings = [];

const { startLocalPostgres } = await from('platform/embedded/local-postgres.js');
const postgres = await startLocalPostgres({ dir: join(dir, 'postgres'), log: () => undefined });
const today = postgres.urlOf('forecourt');
const restored = postgres.urlOf('forecourt_restored');

function check(what, good, detail = '') {
  console.log(`${good ? 'ok  ' : 'BAD '} ${what}${detail === '' ? '' : `: ${detail}`}`);
  if (!good) findings.push(what);
}

const settingsOf = (database) => ({
  FORECOURT_PROFILE: 'local',
  FORECOURT_SECRET: 'secret-of-the-drill-that-is-long-enough-0123',
  DATABASE_URL: database,
  MIGRATION_DATABASE_URL: database,
  DATA_DIR: join(dir, 'service'),
  LOG_LEVEL: 'warn',
});

/** Runs a program of the product on a database. @param until text after which it goes on, running */
async function run(database, args, { until, port = 0 } = {}) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settingsOf(database), PORT: String(port) };
  const child = spawn(process.execPath, [join(DIST, args[0]), ...args.slice(1)], { env, cwd: dir });
  let output = '';
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text) => ((output += text), (written += text)));
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise((done) => child.once('close', done));
  if (until !== undefined)
    while (!output.includes(until) && child.exitCode === null) await new Promise((done) => setTimeout(done, 50));
  if (until !== undefined && !output.includes(until)) throw new Error(`${args.join(' ')} ended: ${output}`);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return until === undefined ? { code: await ended, output, written } : { stop };
}

async function serve(database) {
  const port = await freePort();
  const { stop } = await run(database, ['main.js', 'all'], { until: 'Forecourt is ready.', port });
  const ask = async (method, path, token, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': randomUUID(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, data: (await answer.json().catch(() => ({}))).data };
  };
  return { ask, stop };
}

const command = (database, ...args) => run(database, ['command/main.js', ...args, '--json']);
const keyOf = async (database, role) =>
  JSON.parse(
    (await command(database, 'key', 'create', '--organization', GROUP, '--name', `drill ${role}`, '--role', role))
      .written,
  );

/** The dealer group of the demo, without its inventory. */
async function makeGroup() {
  const { loadSettings } = await from('platform/config/load-settings.js');
  const { withService } = await from('process/with-service.js');
  const { CreateDealerGroup } = await from('modules/tenancy/index.js');
  const { DEMO_GROUP } = await from('demo/demo-group.js');
  await withService(loadSettings(settingsOf(today)), (service) => service.get(CreateDealerGroup).run(DEMO_GROUP));
}

async function yesterday() {
  await makeGroup();
  const service = await serve(today);
  const admin = await keyOf(today, 'admin');
  const compliance = await keyOf(today, 'compliance');
  const auditors = [await keyOf(today, 'auditor'), await keyOf(today, 'auditor')];
  const hold = await service.ask('POST', 'holds', compliance.token, {
    matter: 'Before',
    reason: 'drill',
    categories: ['audit_event'],
  });
  check('a hold is placed before the backup', hold.status === 201, `HTTP ${hold.status}`);
  await service.stop();
  await seedKeys(today, GROUP, ENTRIES);
  const server = new pg.Client({ connectionString: postgres.urlOf('postgres') });
  await server.connect();
  await server.query('CREATE DATABASE forecourt_restored TEMPLATE forecourt');
  await server.end();
  return { admin, compliance, auditors };
}

async function day({ admin, compliance, auditors: [, leaked] }) {
  const service = await serve(today);
  const hold = await service.ask('POST', 'holds', compliance.token, {
    matter: 'After',
    reason: 'drill',
    categories: ['feed_file'],
  });
  check('a hold is placed after the backup', hold.status === 201, `HTTP ${hold.status}`);
  const revoked = await service.ask('POST', `keys/${leaked.keyId}/revoke`, admin.token);
  check('a key is revoked after the backup', revoked.status < 300, `HTTP ${revoked.status}`);
  await service.stop();
  await revokeMany(from, { url: today, dataDir: join(dir, 'service'), organizationId: GROUP, count: ENTRIES });
  return hold.data;
}

async function restore() {
  const refused = await run(restored, ['main.js', 'all'], {});
  check(
    'the service does not open on the restored database',
    refused.code === 1 && refused.output.includes('forecourt restore replay'),
  );
  const status = await command(restored, 'restore', 'status');
  check('restore status says so', status.code === 1, status.code === 1 ? '' : status.output);
  const rehearsal = JSON.parse((await command(restored, 'restore', 'replay', '--dry-run')).written);
  const began = Date.now();
  const replay = await command(restored, 'restore', 'replay');
  check('the replay ends well', replay.code === 0, replay.code === 0 ? '' : replay.output);
  const report = JSON.parse(replay.written);
  const { 'hold.placed': holds, revocation } = report.outcomes;
  check('holds are placed again', holds.replayed === 1, `${holds.replayed}`);
  check(
    'revocations are done again',
    revocation.replayed === ENTRIES + 1,
    `${revocation.replayed} in ${Date.now() - began} ms`,
  );
  check('the dry run had said it', JSON.stringify(rehearsal.outcomes) === JSON.stringify(report.outcomes));
  const again = JSON.parse((await command(restored, 'restore', 'replay')).written);
  check(
    'a second replay does nothing',
    Object.values(again.outcomes).every(({ replayed }) => replayed === 0),
  );
}

async function open({ compliance, auditors: [kept, leaked] }, hold) {
  const service = await serve(restored);
  const found = await service.ask('GET', `holds/${hold.hold_id}`, compliance.token);
  check(
    'the hold is there, with its time',
    found.status === 200 && found.data.held_since === hold.held_since,
    found.data?.held_since,
  );
  check('the revoked key is refused', (await service.ask('GET', 'holds', leaked.token)).status === 401);
  check('the other key works', (await service.ask('GET', 'holds', kept.token)).status === 200);
  await service.stop();
}

const freePort = () =>
  new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });

try {
  const keys = await yesterday();
  const hold = await day(keys);
  await restore();
  await open(keys, hold);
} finally {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
console.log(findings.length === 0 ? 'the drill succeeded' : `the drill found ${findings.length} problem(s)`);
process.exitCode = findings.length === 0 ? 0 : 1;
