import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const SEARCH = 'dealeragent.inventory.search';
const gate = new DatabaseGate();

let compiled: CompiledService;
let dir: string;
let postgres: LocalPostgres;
let service: ChildService;
let origin: string;

const startPostgres = (): Promise<LocalPostgres> =>
  startLocalPostgres({ dir: join(dir, 'postgres'), log: () => undefined, settings: ['fsync=off'] });

beforeAll(async () => {
  compiled = await compileService();
  dir = await mkdtemp(join(tmpdir(), 'forecourt-away-'));
  postgres = await startPostgres();
  await gate.open(postgres.port);
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  service = new ChildService([compiled.main, 'all'], {
    FORECOURT_PROFILE: 'local',
    FORECOURT_DEMO: 'on',
    DATABASE_URL: gate.urlOf(postgres.adminUrl),
    DATA_DIR: join(dir, 'data'),
    PORT: String(port),
    LOG_LEVEL: 'info',
  });
  await service.until('Forecourt is ready.');
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

describe('With the database stopped', () => {
  it('tool calls say so in their own form, and the process goes on', async () => {
    expect(codeOf(await search())).toBeUndefined();
    await postgres.stop();
    await gate.refuse();
    const answers = await Promise.all([search(), search(), search()]);
    for (const { status, json } of answers) {
      expect(status).toBe(200);
      expect(json.result.isError).toBe(true);
      expect(json.result.structuredContent).toMatchObject({
        code: 'dealeragent.upstream.unavailable',
        retryable: true,
      });
      expect(json.result.structuredContent.retry_after_ms).toBeGreaterThan(0);
    }
    expect(await readiness()).toBe(503);
    await expectAlive();
  });

  it('the manifest resource says so as a protocol error', async () => {
    const { status, json } = await postModern(`${origin}/mcp`, 'resources/read', { uri: 'dealeragent://manifest' });
    expect(status).toBe(200);
    expect(json.error.data).toMatchObject({ code: 'dealeragent.upstream.unavailable', retryable: true });
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
});

describe('With a database that hangs', () => {
  it('tool calls are told to try again, and all of it recovers', async () => {
    gate.hang();
    const answer = await search();
    expect(answer.status).toBe(200);
    expect(['dealeragent.upstream.unavailable', 'dealeragent.rate_limited']).toContain(codeOf(answer));
    expect(answer.json.result.structuredContent.retryable).toBe(true);
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
