// A database with the benchmark's groups in it, and the service as a process of its own.
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';

const from = (path) => import(join(ROOT, 'dist', path));

/** Two groups: a large one and a small one, with their rooftops and feeds, and no inventory yet. `role`: of the process, as in `main.js`. */
export async function prepareService(groups, more = {}, role = 'all') {
  const dataDir = mkdtempSync(join(tmpdir(), 'forecourt-bench-'));
  const { loadSettings } = await from('platform/config/load-settings.js');
  const { prepareDatabase } = await from('process/prepare-database.js');
  const { withService } = await from('process/with-service.js');
  const { DemoFeeds } = await from('process/demo-feeds.js');
  const { CreateDealerGroup } = await from('modules/tenancy/index.js');
  const { CREATE_KEY } = await from('modules/auth/index.js');
  const { newRequestId, traceIdOfRequest } = await from('kernel/ids.js');
  const port = await freePort();
  const env = {
    FORECOURT_PROFILE: 'local',
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'error',
    ANONYMOUS_CALLS_PER_MINUTE: '10000000',
    AGENT_CALLS_PER_MINUTE: '10000000',
    AGENT_KEY_CALLS_PER_MINUTE: '10000000',
    ROOFTOP_CALLS_PER_MINUTE: '10000000',
    ADMIN_CALLS_PER_MINUTE: '1000000',
    READ_MODEL_CACHE_BYTES: '134217728',
    ...more,
  };
  const database = await prepareDatabase(loadSettings(env), () => undefined);
  const keys = await withService(database.settings, async (service) => {
    const tokens = {};
    for (const group of groups) {
      await service.get(CreateDealerGroup).run(group);
      const feeds = new DemoFeeds(service);
      for (const { rooftopId } of group.rooftops) await feeds.create(group.organizationId, rooftopId);
      const requestId = newRequestId();
      const origin = {
        eventId: requestId,
        traceId: traceIdOfRequest(requestId),
        surface: 'command',
        actorKind: 'system',
        actor: 'bench',
        client: null,
      };
      const created = await service
        .get(CREATE_KEY)
        .run({ organizationId: group.organizationId, name: 'bench', role: 'admin', expiresAt: null }, origin);
      tokens[group.organizationId] = created.token;
    }
    return tokens;
  });
  const start = (as, flags = []) =>
    fork(join(ROOT, 'dist/main.js'), [as], {
      cwd: ROOT,
      env: {
        ...process.env,
        ...env,
        DATABASE_URL: database.settings.DATABASE_URL,
        MIGRATION_DATABASE_URL: database.settings.MIGRATION_DATABASE_URL,
        FORECOURT_SECRET: readFileSync(join(dataDir, 'secrets/forecourt-secret'), 'utf8').trim(),
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [
        ...flags,
        ...(process.env.BENCH_PROFILE === undefined
          ? []
          : ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`]),
      ],
    });
  const child = start(role);
  const origin = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${origin}/health/ready`)).ok);
  return {
    origin,
    pid: child.pid,
    keys,
    start,
    adminUrl: database.settings.MIGRATION_DATABASE_URL ?? database.settings.DATABASE_URL,
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGINT');
      await ended;
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A baseline server of tools/bench/baseline-servers.mjs. */
export function startBaseline(kind) {
  const child = fork(join(ROOT, 'tools/bench/baseline-servers.mjs'), [kind]);
  return new Promise((done) =>
    child.once('message', (port) =>
      done({ origin: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() }),
    ),
  );
}

/** A server of tools/bench/sdk-server.mjs with the given tools, whose handlers give one answer. */
export function startSdkServer(kind, tools, answer) {
  const child = fork(join(ROOT, 'tools/bench/sdk-server.mjs'), [kind]);
  child.send({ tools, answer });
  return new Promise((done) =>
    child.once('message', (port) =>
      done({ origin: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() }),
    ),
  );
}

/** A generated group: `rooftops` locations of which each row of its feed names one. */
export function makeGroup(organizationId, rooftops) {
  const sla = { inventory: 86_400, availability: 86_400, pricing: 86_400 };
  return {
    organizationId,
    name: organizationId,
    legalName: null,
    website: null,
    rooftops: Array.from({ length: rooftops }, (_, i) => ({
      rooftopId: `roof.${String(i + 1).padStart(3, '0')}`,
      name: `Rooftop ${i + 1}`,
      legalName: null,
      website: null,
      address: { lines: [`${i + 1} Example Street`], locality: 'Springfield', country: 'US' },
      timezone: 'America/Chicago',
      currency: 'USD',
      departments: ['sales'],
      contacts: [],
      hours: [],
      languages: [],
      settings: { freshness_sla_seconds: sla, required_charges: { status: 'unknown' } },
    })),
  };
}

async function until(check) {
  const deadline = Date.now() + 60_000;
  while (!(await check().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('the service did not become ready');
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function freePort() {
  const probe = createServer();
  await new Promise((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}
