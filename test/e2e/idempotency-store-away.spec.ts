import { mkdtemp, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttpApp } from '../../src/process/run-service.js';
import { callAdmin } from '../support/admin-client.js';
import { CORE_PROFILES, READ_SCOPES } from '../support/agents.js';
import { DatabaseGate } from '../support/database-gate.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { withRoom } from '../support/with-room.js';

/** A process whose way to the database breaks, beside one whose way stays open. */

const gate = new DatabaseGate();
let service: TestService;
let app: Awaited<ReturnType<typeof openHttpApp>>;
let origin: string;
let dataDir: string;
let staff: string;
let database: pg.Client;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  staff = `Bearer ${await service.adminToken()}`;
  dataDir = await mkdtemp(join(tmpdir(), 'forecourt-store-away-'));
  await gate.open(Number(new URL(service.database.appUrl).port));
  const settings = { ...service.settings, DATABASE_URL: gate.urlOf(service.database.appUrl), DATA_DIR: dataDir };
  app = await openHttpApp(settings, { takeJobs: false });
  await app.listen(0, '127.0.0.1');
  origin = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  database = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await database.connect();
});
afterAll(async () => {
  await app.close();
  await gate.refuse();
  await database.end();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const create = (key: string, subject: string): Promise<WireAnswer> =>
  callAdmin(
    { origin },
    staff,
    'POST',
    'grants',
    {
      ...{ subject, rooftop_ids: ['roof.downtown'], profiles: CORE_PROFILES, scopes: READ_SCOPES },
      ...{ purposes: ['vehicle_shopping'], expires_at: '2099-01-01T00:00:00Z' },
    },
    { 'idempotency-key': key },
  );
const grantsOf = async (subject: string): Promise<number> =>
  (await database.query('SELECT FROM grants WHERE subject = $1', [subject])).rowCount ?? 0;

/** Nothing comes through any more, and nobody is told. */
const breakSilently = (): Promise<void> => {
  gate.hang();
  return Promise.resolve();
};

describe('A POST whose store of keys is away', () => {
  it.each([
    { what: 'refuses', away: () => gate.refuse() },
    { what: 'says nothing', away: breakSilently },
  ])('is not run, and is made under the same key once the store is back: it $what', async ({ away }) => {
    const [key, subject] = [randomUUID(), `agent:${randomUUID()}`];
    expect((await create(randomUUID(), `agent:${randomUUID()}`)).status).toBe(201);
    await away();
    const asked = Date.now();
    const answer = await create(key, subject);
    expect(Date.now() - asked).toBeLessThan(withRoom(5000));
    expect(answer, answer.text).toMatchObject({
      status: 503,
      json: { data: null, error: { code: 'dedupe_unavailable', retryable: true, retry_after_ms: expect.any(Number) } },
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await grantsOf(subject)).toBe(0);
    await gate.refuse();
    await gate.open(Number(new URL(service.database.appUrl).port));
    const again = async (): Promise<number> => (await create(key, subject)).status;
    await expect.poll(again, { timeout: 20_000, interval: 200 }).toBe(201);
    expect(await grantsOf(subject)).toBe(1);
    expect((await create(key, subject)).json.meta).toMatchObject({ outcome: 'replayed' });
    expect(await grantsOf(subject)).toBe(1);
  });
});
