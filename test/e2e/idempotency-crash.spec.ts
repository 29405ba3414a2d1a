import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { callAdmin } from '../support/admin-client.js';
import { ChildService, freePort } from '../support/child-service.js';
import type { CompiledService } from '../support/compiled-service.js';
import { compileService } from '../support/compiled-service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import type { WireAnswer } from '../support/mcp-http.js';

/** What becomes of a write whose process dies under it: a real process, killed at the worst moments. */

let compiled: CompiledService;
let database: TestDatabase;
let dataDir: string;
let service: ChildService;
let origin: string;
let staff: string;
let admin: pg.Client;

async function start(): Promise<void> {
  const port = await freePort();
  service = new ChildService([compiled.main, 'all'], {
    FORECOURT_PROFILE: 'local',
    FORECOURT_DEMO: 'on',
    DATABASE_URL: database.appUrl,
    MIGRATION_DATABASE_URL: database.adminUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    DATABASE_SILENT_MS: '5000', // the machine may be busy; what is tested is death, not slowness
  });
  origin = `http://127.0.0.1:${port}`;
  await service.until('Forecourt is ready.');
  staff = `Bearer ${(await readFile(join(dataDir, 'admin.key'), 'utf8')).trim()}`;
}

async function die(): Promise<void> {
  service.kill('SIGKILL');
  await service.ended;
  // The server notices a lost client when it next reads from it: its transactions are ended before the next process starts.
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}

beforeAll(async () => {
  compiled = await compileService();
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'forecourt-crash-'));
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  await start();
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await admin.end();
  await database.drop();
  await compiled.remove();
  await rm(dataDir, { recursive: true, force: true });
});

const grantFor = (subject: string): object => ({
  subject,
  rooftop_ids: [DEMO_GROUP.rooftops[0]!.rooftopId],
  profiles: ['dealeragent.inventory.availability/0.1'],
  scopes: ['dealeragent:inventory:read'],
  purposes: ['vehicle_shopping'],
  expires_at: '2099-01-01T00:00:00Z',
});
const create = (key: string, subject: string): Promise<WireAnswer> =>
  callAdmin({ origin }, staff, 'POST', 'grants', grantFor(subject), { 'idempotency-key': key });
const count = async (sql: string, ...values: unknown[]): Promise<number> =>
  (await admin.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${sql}`, values)).rows[0]!.count;

it('a write whose process died before the commit has left nothing, and is made when it comes again', async () => {
  const [key, subject] = [randomUUID(), 'agent:before-commit'];
  // The handler has written its grant and waits for the audit trail.
  await admin.query('BEGIN');
  await admin.query('LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE');
  const lost = create(key, subject).catch(() => 'lost');
  await expect
    .poll(() => count(`pg_locks WHERE NOT granted AND relation = 'audit_events'::regclass`), { timeout: 20_000 })
    .toBeGreaterThan(0);
  service.kill('SIGKILL');
  await service.ended;
  await admin.query('ROLLBACK');
  expect(await lost).toBe('lost');
  await die();
  expect(await count('grants WHERE subject = $1', subject)).toBe(0);
  await start();
  expect(await create(key, subject)).toMatchObject({ status: 201, json: { meta: { outcome: 'succeeded' } } });
  expect(await count('grants WHERE subject = $1', subject)).toBe(1);
});

it('a write whose process died between the commit and the answer is answered when it comes again', async () => {
  const [key, subject] = [randomUUID(), 'agent:after-commit'];
  const answer = create(key, subject).catch(() => 'lost');
  while ((await count('grants WHERE subject = $1', subject)) === 0);
  await die(); // as soon as the commit can be seen: whether the answer has left does not matter
  await answer;
  await start();
  const { rows } = await admin.query<{ grant_id: string }>('SELECT grant_id FROM grants WHERE subject = $1', [subject]);
  expect(await create(key, subject)).toMatchObject({
    status: 201,
    json: { meta: { outcome: 'replayed' }, data: { grant_id: rows[0]?.grant_id, key: { token: null } } },
  });
  expect(await count('grants WHERE subject = $1', subject)).toBe(1);
  expect(
    await count(`audit_events WHERE operation = 'grants.create' AND resource_ids[1] = $1`, `${rows[0]!.grant_id}@1`),
  ).toBe(1);
});
