import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { ChildService, freePort } from '../support/child-service.js';
import type { CompiledService } from '../support/compiled-service.js';
import { compileService } from '../support/compiled-service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { callTool, send } from '../support/mcp-http.js';
import { withRoom } from '../support/with-room.js';

const SEARCH = 'dealeragent.inventory.search';
let compiled: CompiledService;
let database: TestDatabase;
let admin: pg.Client;
let dir: string;
let origins: readonly [string, string];
let services: ChildService[];

async function start(role: 'all' | 'api', name: string): Promise<string> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const service = new ChildService([compiled.main, role], {
    FORECOURT_PROFILE: 'local',
    ...(role === 'all' ? { FORECOURT_DEMO: 'on' } : {}),
    FORECOURT_SECRET: 'one-secret-of-both-processes-that-is-long-enough',
    DATABASE_URL: database.appUrl,
    MIGRATION_DATABASE_URL: database.adminUrl,
    DATA_DIR: join(dir, name),
    PORT: String(port),
    LOG_LEVEL: 'info',
  });
  services.push(service);
  if (role === 'all') await service.until('Forecourt is ready.');
  else while (!(await isReady(origin))) await new Promise((done) => setTimeout(done, 100));
  return origin;
}

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/health/ready`).then(
    (answer) => answer.ok,
    () => false,
  );

beforeAll(async () => {
  compiled = await compileService();
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  dir = await mkdtemp(join(tmpdir(), 'forecourt-revocation-'));
  services = [];
  const first = await start('all', 'first');
  origins = [first, await start('api', 'second')];
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await admin.end();
  await database.drop();
  await compiled.remove();
  await rm(dir, { recursive: true, force: true });
});

const tokenIn = async (file: string): Promise<string> => (await readFile(join(dir, 'first', file), 'utf8')).trim();
const statusAt = async (origin: string, token: string): Promise<number> =>
  (
    await callTool(
      `${origin}/organizations/${DEMO_ORGANIZATION}/mcp`,
      SEARCH,
      { organization_id: DEMO_ORGANIZATION, page: { limit: 1 } },
      { authorization: `Bearer ${token}` },
    )
  ).status;

const TERMS = { scopes: ['dealeragent:inventory:read'], expires_at: '2099-01-01T00:00:00Z' };

async function create<T>(path: string, body: object): Promise<T> {
  const answer = await send(`${origins[0]}/admin/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await tokenIn('admin.key')}`,
      'content-type': 'application/json',
      'idempotency-key': `issue-${Math.random()}`,
    },
    body: JSON.stringify({ ...TERMS, ...body }),
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data as T;
}

/** A key whose grant names a rooftop, or rests on a delegation. */
async function issueKey(kind: Ended): Promise<{ token: string; ids: Record<Ended, string> }> {
  const listed = { rooftop_ids: ['roof.downtown'] };
  const { delegation_id: delegation = '' } =
    kind === 'delegation'
      ? await create<{ delegation_id?: string }>('group-delegations', {
          grantee: 'agent:x',
          covers: 'listed',
          ...listed,
        })
      : {};
  const { grant_id: grant, key } = await create<{ grant_id: string; key: { key_id: string; token: string } }>(
    'grants',
    {
      subject: 'agent:x',
      ...(delegation === '' ? listed : { delegation_id: delegation }),
      profiles: ['dealeragent.inventory.read/0.1'],
      purposes: ['vehicle_shopping'],
    },
  );
  return { token: key.token, ids: { key: key.key_id, grant, delegation } };
}

/** Where each kind is kept. */
const KEPT = {
  key: ['api_keys', 'key_id'],
  grant: ['grants', 'grant_id'],
  delegation: ['group_delegations', 'delegation_id'],
} as const;
type Ended = keyof typeof KEPT;

/** As staff does it in SQL terms: inside the tenant, and nothing but the end. */
const end = ([table, column]: readonly [string, string], id: string): Promise<unknown> =>
  admin.query(`UPDATE forecourt.${table} SET revoked_at = now() WHERE ${column} = $1`, [id]);

it.each(['key', 'grant', 'delegation'] as const)(
  'a revoked %s is refused by both processes within two seconds, although no snapshot can be built',
  async (kind) => {
    const { ids, token } = await issueKey(kind);
    for (const origin of origins) expect(await statusAt(origin, token)).toBe(200);
    const blocker = new pg.Client({ connectionString: database.adminUrl });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE forecourt.rooftops IN ACCESS EXCLUSIVE MODE');
    try {
      await end(KEPT[kind], ids[kind]);
      const revokedAt = Date.now();
      for (const origin of origins)
        await expect.poll(() => statusAt(origin, token), { timeout: 10_000, interval: 20 }).toBe(401);
      expect(Date.now() - revokedAt).toBeLessThan(withRoom(2000));
    } finally {
      await blocker.query('ROLLBACK');
      await blocker.end();
    }
    for (const origin of origins) expect(await statusAt(origin, token)).toBe(401);
  },
);

it('what is known is on the disk of each process, and readable by nobody else', async () => {
  for (const name of ['first', 'second']) {
    await expect
      .poll(() => readdir(join(dir, name, 'access')).then((names) => names.toSorted()), { timeout: 10_000 })
      .toEqual(expect.arrayContaining([`${DEMO_ORGANIZATION}.snapshot`, 'revocations']));
    const bytes = await readFile(join(dir, name, 'access', `${DEMO_ORGANIZATION}.snapshot`), 'latin1');
    expect(bytes).not.toContain('roof.downtown');
  }
});
