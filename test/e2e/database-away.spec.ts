import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import type { LocalPostgres } from '../../src/platform/embedded/local-postgres.js';
import { startLocalPostgres } from '../../src/platform/embedded/local-postgres.js';
import { ChildService, freePort } from '../support/child-service.js';
import type { CompiledService } from '../support/compiled-service.js';
import { compileService } from '../support/compiled-service.js';
import { DatabaseGate } from '../support/database-gate.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, legacy, post, postModern, send } from '../support/mcp-http.js';
import { withRoom } from '../support/with-room.js';

const SEARCH = 'dealeragent.inventory.search';
const gate = new DatabaseGate();

let compiled: CompiledService;
let dir: string;
let postgres: LocalPostgres;
let service: ChildService;
let origin: string;
let agentToken: string;
let adminToken: string;
let before = 0;

const startPostgres = (): Promise<LocalPostgres> =>
  startLocalPostgres({ dir: join(dir, 'postgres'), log: () => undefined, settings: ['fsync=off'] });

let servicePort: number;

async function startService(): Promise<ChildService> {
  const started = new ChildService([compiled.main, 'all'], {
    FORECOURT_PROFILE: 'local',
    FORECOURT_DEMO: 'on',
    DATABASE_URL: gate.urlOf(postgres.adminUrl),
    DATA_DIR: join(dir, 'data'),
    PORT: String(servicePort),
    LOG_LEVEL: 'info',
  });
  await started.until('Forecourt is ready.');
  return started;
}

const timesAway = (): number => service.output.split('the database is away: ').length - 1;

/** Takes the database away and waits until the service has noticed. */
async function takeAway(how: () => unknown): Promise<void> {
  const before = timesAway();
  await how();
  await expect.poll(timesAway, { timeout: 10_000 }).toBeGreaterThan(before);
}

beforeAll(async () => {
  compiled = await compileService();
  dir = await mkdtemp(join(tmpdir(), 'forecourt-away-'));
  postgres = await startPostgres();
  await gate.open(postgres.port);
  servicePort = await freePort();
  origin = `http://127.0.0.1:${servicePort}`;
  service = await startService();
  agentToken = (await readFile(join(dir, 'data/agent.key'), 'utf8')).trim();
  adminToken = (await readFile(join(dir, 'data/admin.key'), 'utf8')).trim();
});
afterAll(async () => {
  await service.stop();
  await gate.refuse();
  await postgres.stop();
  await compiled.remove();
  await rm(dir, { recursive: true, force: true });
});

const search = (): Promise<WireAnswer> =>
  callTool(`${origin}/mcp`, SEARCH, { organization_id: DEMO_ORGANIZATION, page: { limit: 1 } });
const readiness = async (): Promise<number> => (await send(`${origin}/health/ready`, {})).status;
const codeOf = (answer: WireAnswer): string | undefined =>
  answer.json.result?.structuredContent?.code as string | undefined;

async function expectRecovery(): Promise<void> {
  await expect.poll(readiness, { timeout: 30_000, interval: 200 }).toBe(200);
  await expect.poll(async () => codeOf(await search()), { timeout: 30_000, interval: 200 }).toBeUndefined();
  expect((await search()).json.result.structuredContent.vehicles).toHaveLength(1);
}

/** What goes on without a database. */
async function expectAlive(): Promise<void> {
  expect((await send(`${origin}/health/live`, {})).status).toBe(200);
  const { json } = await post(`${origin}/organizations/${DEMO_ORGANIZATION}/mcp`, legacy('tools/list'));
  expect((json.result.tools as { name: string }[]).map((tool) => tool.name)).toContain('dealeragent.inventory.search');
}

async function trailOf(operation: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ event_id: string }>(
      'SELECT event_id FROM forecourt.audit_events WHERE operation = $1',
      [operation],
    );
    return rows.map((row) => row.event_id);
  } finally {
    await client.end();
  }
}

const agentSearch = (token: string): Promise<WireAnswer> =>
  callTool(
    `${origin}/mcp`,
    SEARCH,
    { organization_id: DEMO_ORGANIZATION, page: { limit: 1 } },
    { authorization: `Bearer ${token}` },
  );
const verify = async (token: string): Promise<{ answer: WireAnswer; tookMs: number }> => {
  const started = Date.now();
  const answer = await callTool(
    `${origin}/mcp`,
    'dealeragent.inventory.verify_availability',
    { organization_id: DEMO_ORGANIZATION, rooftop_id: 'roof.downtown', vehicle_id: 'veh.any' },
    { authorization: `Bearer ${token}` },
  );
  return { answer, tookMs: Date.now() - started };
};

describe('With the database stopped', () => {
  it('published retail is answered, to agents too; what is protected and every change fail at once', async () => {
    expect(codeOf(await search())).toBeUndefined();
    expect(codeOf(await agentSearch(agentToken))).toBeUndefined();
    before = (await trailOf(SEARCH)).length;
    await takeAway(async () => {
      await postgres.stop();
      await gate.refuse();
    });
    for (const answer of await Promise.all([search(), search(), agentSearch(agentToken)])) {
      expect(answer.json.result.isError).toBeFalsy();
      expect(answer.json.result.structuredContent.vehicles).toHaveLength(1);
    }
    const { answer, tookMs } = await verify(agentToken);
    expect(codeOf(answer) ?? answer.json.error?.data?.code).toBe('dealeragent.upstream.unavailable');
    expect(tookMs).toBeLessThan(withRoom(1000));
    const started = Date.now();
    const change = await send(`${origin}/admin/v1/grants`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
        'idempotency-key': 'while-it-is-away',
      },
      body: '{}',
    });
    expect(change.status).toBeGreaterThanOrEqual(400);
    expect(Date.now() - started).toBeLessThan(withRoom(1000));
    expect(await readiness()).toBe(503);
    await expectAlive();
  });

  it('the manifest is published, too', async () => {
    const { status, json } = await postModern(`${origin}/mcp`, 'resources/read', { uri: 'dealeragent://manifest' });
    expect(status).toBe(200);
    expect(json.result.contents).toHaveLength(1);
  });

  it('an organization that was never asked for is not said to be absent', async () => {
    const { status, json, headers } = await post(`${origin}/organizations/org.never-asked/mcp`, legacy('ping'));
    expect({ status, code: json.error.data.code }).toEqual({ status: 503, code: 'dealeragent.upstream.unavailable' });
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });

  it('the admin API says so in its envelope', async () => {
    const { status, json, headers } = await send(`${origin}/admin/v1/feeds`, {
      headers: { authorization: 'Bearer x' },
    });
    expect([401, 503]).toContain(status);
    if (status === 503) expect(json.error).toMatchObject({ code: 'provider_down', retryable: true });
    if (status === 503) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });

  it('everything comes back by itself when the database does, at another server, too', async () => {
    postgres = await startPostgres();
    await gate.open(postgres.port);
    await expectRecovery();
  });

  it('and the records of what was answered meanwhile are in the trail, each once', async () => {
    await expect
      .poll(async () => (await trailOf(SEARCH)).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(before + 3);
    const ids = await trailOf(SEARCH);
    expect(new Set(ids).size).toBe(ids.length);
    await expect.poll(() => readdir(join(dir, 'data/audit-spool')), { timeout: 20_000 }).toEqual([]);
  });
});

describe('A process that is killed with records on its disk', () => {
  it('leaves them to the next one, which appends each once', async () => {
    await takeAway(() => gate.refuse());
    const known = await trailOf(SEARCH);
    for (let i = 0; i < 20; i++) expect((await search()).json).toMatchObject({ result: { isError: false } });
    await service.stop('SIGKILL');
    expect(await readdir(join(dir, 'data/audit-spool'))).toHaveLength(1);
    await gate.open(postgres.port);
    service = await startService();
    await expect
      .poll(async () => (await trailOf(SEARCH)).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(known.length + 20);
    const ids = await trailOf(SEARCH);
    expect(ids).toHaveLength(known.length + 20);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('With a database that hangs', () => {
  it('what comes at that moment is told to try again, what comes later is answered, and all of it recovers', async () => {
    await expectRecovery(); // a process that has served nobody since it started knows no organization by heart
    const before = timesAway();
    gate.hang();
    const answer = await search();
    expect(answer.status).toBe(200);
    if (codeOf(answer) !== undefined) {
      expect(['dealeragent.upstream.unavailable', 'dealeragent.rate_limited']).toContain(codeOf(answer));
      expect(answer.json.result.structuredContent.retryable).toBe(true);
    }
    await expect.poll(timesAway, { timeout: 10_000 }).toBeGreaterThan(before);
    expect(codeOf(await search())).toBeUndefined();
    const { answer: refused, tookMs } = await verify(agentToken);
    expect(codeOf(refused) ?? refused.json.error?.data?.code).toBe('dealeragent.upstream.unavailable');
    expect(tookMs).toBeLessThan(withRoom(1000));
    expect(await readiness()).toBe(503);
    await expectAlive();
    await gate.refuse();
    await gate.open(postgres.port);
    await expectRecovery();
  });
});

describe('The process through all of it', () => {
  it('never ended, and left nothing unhandled', () => {
    expect(() => process.kill(service.pid, 0)).not.toThrow();
    expect(service.output).not.toMatch(/unhandled|uncaught/i);
  });
});
