import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { KEY_AUTHENTICATOR, type KeyAuthenticator } from '../../src/kernel/ports/key-authenticator.js';
import { CREATE_KEY, type CreateKey } from '../../src/modules/auth/index.js';
import { findOperatorKey } from '../../src/process/find-admin-key.js';
import { callAdmin } from '../support/admin-client.js';
import { connectSource, letAgentIn } from '../support/agents.js';
import { ChildService, freePort } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { startDealerSystem, type DealerSystem } from '../support/dealer-system.js';
import { csvOf, carLine } from '../support/feed-csv.js';
import { importFeed } from '../support/import-feed.js';
import { callTool, type WireAnswer } from '../support/mcp-http.js';
import { addPerson, allow, newBrowser } from '../support/oauth-world.js';
import { OAUTH_CLIENTS } from '../support/official-oauth-clients.js';
import { startTestService, type TestService } from '../support/service.js';
import { withRoom } from '../support/with-room.js';

const VERIFY = 'dealeragent.inventory.verify_availability';
const SEARCH = 'dealeragent.inventory.search';
const NORTH = 'org.north';
const MAIN = 'roof.main';
const RIVER = 'roof.river';
const SECRET = 'one-secret-of-both-processes-that-is-long-enough';
const ADDRESS = { lines: ['1 Main Street'], locality: 'Springfield', region: 'IL', postal_code: '62701' };

let first: TestService;
/** The same service as the new organization's administrator sees it. */
let north: TestService;
let second: ChildService;
let secondOrigin: string;
let compiled: CompiledService;
let system: DealerSystem;
let folder: string;

beforeAll(async () => {
  compiled = await compileService();
  folder = await mkdtemp(join(tmpdir(), 'forecourt-walk-'));
  system = await startDealerSystem(() => ({ status: 'available', observed_at: new Date().toISOString() }));
  // As behind a balancer: what one process signs counts at the other.
  const signingKey = join(folder, 'signing-key.pem');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(signingKey, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const env = {
    AUTHORIZATION_SIGNING_KEY_FILE: signingKey,
    FORECOURT_SECRET: SECRET,
    TRUSTED_PROXIES: '127.0.0.1',
    EGRESS_ALLOWED_HOSTS: system.host,
    EGRESS_CA_FILE: system.authority,
  };
  first = await startTestService({ demo: false, env });
  const port = await freePort();
  secondOrigin = `http://127.0.0.1:${port}`;
  second = new ChildService([compiled.main, 'api'], {
    ...env,
    FORECOURT_PROFILE: 'local',
    DATABASE_URL: first.database.appUrl,
    MIGRATION_DATABASE_URL: first.database.adminUrl,
    PUBLIC_URL: first.origin,
    DATA_DIR: folder,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  });
  const ready = (): Promise<boolean> =>
    fetch(`${secondOrigin}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await vi.waitUntil(ready, { timeout: 60_000, interval: 200 });
});
afterAll(async () => {
  first.app.getHttpServer().closeAllConnections(); // the SDK leaves one behind on which it heard a challenge
  await second.stop();
  await first.stop();
  system.stop();
  await compiled.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Creates something as staff do it. @returns what the answer says of it */
async function create(bearer: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await callAdmin(first, bearer, 'POST', path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data as Readonly<Record<string, unknown>>;
}

/** The operator makes the organization; its administrator does the rest. */
async function createNorth(): Promise<void> {
  const parts = {
    createKey: first.parts.get<CreateKey>(CREATE_KEY),
    keys: first.parts.get<KeyAuthenticator>(KEY_AUTHENTICATOR),
  };
  const operator = `Bearer ${(await readFile(await findOperatorKey(parts, first.dataDir), 'utf8')).trim()}`;
  const { key } = await create(operator, 'organizations', {
    ...{ organization_id: NORTH, name: 'North Auto', time_zone: 'America/Chicago', currency: 'USD', country: 'US' },
    admin_name: 'Bo Miller',
  });
  const { token } = key as { token: string };
  north = { ...first, organizationId: NORTH, adminToken: () => Promise.resolve(token) };
  for (const [rooftop_id, name] of [
    [MAIN, 'North Main'],
    [RIVER, 'North River'],
  ])
    await create(`Bearer ${token}`, 'rooftops', { rooftop_id, name, address: ADDRESS, departments: ['sales'] });
  const cars = [carLine(1, { dealer: MAIN }), carLine(2, { dealer: RIVER })];
  await importFeed(north, 'north-feed', {
    ...{ profile: 'vauto', settings: { odometer_unit: 'mi' } },
    content: csvOf(cars),
    rooftopIds: [MAIN, RIVER],
  });
  for (const rooftopId of [MAIN, RIVER])
    await connectSource(north, rooftopId, {
      ...{ name: 'north-dms', url: system.url, authoritative: true, valid_seconds: 60, timeout_ms: 5000 },
    });
}

const endpoint = (origin: string): string => `${origin}/organizations/${NORTH}/mcp`;

async function unitAt(rooftopId: string): Promise<Record<string, unknown>> {
  const unit = { organization_id: NORTH, rooftop_id: rooftopId };
  const search = (): Promise<WireAnswer> =>
    callTool(endpoint(first.origin), SEARCH, { organization_id: NORTH, rooftop_ids: [rooftopId], page: { limit: 1 } });
  await expect
    .poll(async () => (await search()).json.result.structuredContent.vehicles?.length as number, { timeout: 15_000 })
    .toBe(1);
  const [found] = (await search()).json.result.structuredContent.vehicles as { vehicle_id: string }[];
  return { ...unit, vehicle_id: found?.vehicle_id };
}

it('from nothing to an agent that signs in, verifies where it may, and is out everywhere once it is revoked', async () => {
  await createNorth();
  const [mine, other] = [await unitAt(MAIN), await unitAt(RIVER)];
  const { grantId } = await letAgentIn(north, { rooftop_ids: [MAIN] });

  const official = OAUTH_CLIENTS.find(({ client }) => client.startsWith('client 2'));
  if (official === undefined) throw new Error('the official client of the second version is not there');
  const client = await official.open(endpoint(first.origin));
  expect(await client.call(VERIFY, mine)).toBe('signed out');
  const browser = newBrowser(first.origin);
  await allow(north, browser, client.memory.wanted as URL, await addPerson(north, 'admin'));
  await client.finish(browser.left as unknown as URL);
  const admin = `Bearer ${await north.adminToken()}`;
  const { agent_client_id: clientId } = await create(admin, 'agent-clients', {
    ...{ name: 'Buyer assistant', issuer: `${first.origin}/oauth`, grant_id: grantId },
    client_id: client.memory.registration?.client_id,
  });

  // At both processes, by the client itself and by its token.
  const bearer = { authorization: `Bearer ${client.memory.saved?.access_token ?? ''}` };
  const verifyAt = (origin: string, unit: object): Promise<WireAnswer> =>
    callTool(endpoint(origin), VERIFY, unit, bearer);
  await expect
    .poll(() => client.call(VERIFY, mine), { timeout: 15_000 })
    .toMatchObject({
      isError: false,
      structured: { vehicle_id: mine['vehicle_id'], availability: { status: 'available' } },
    });
  expect(system.lastHeaders()).toBeDefined();
  expect(system.lastHeaders()).not.toHaveProperty('authorization');
  expect(await client.call(VERIFY, other)).toMatchObject({
    isError: true,
    structured: { code: 'dealeragent.tenant.forbidden' },
  });
  for (const origin of [first.origin, secondOrigin]) {
    const verified = await verifyAt(origin, mine);
    expect(verified.json.result?.isError, verified.text).toBe(false);
    const refused = await verifyAt(origin, other);
    expect(refused.json.result.structuredContent.code, refused.text).toBe('dealeragent.tenant.forbidden');
  }

  // What decides is not the snapshot: none can be built while a table of it is locked.
  const blocker = new pg.Client({ connectionString: first.database.adminUrl });
  await blocker.connect();
  await blocker.query('BEGIN; LOCK TABLE forecourt.policy_versions IN ACCESS EXCLUSIVE MODE');
  try {
    const path = `agent-clients/${String(clientId)}/revoke`;
    const revoked = await callAdmin(first, admin, 'POST', path, undefined, { 'if-match': '"1"' });
    const revokedAt = Date.now();
    expect(revoked.status, revoked.text).toBe(200);
    for (const origin of [first.origin, secondOrigin])
      await expect.poll(async () => (await verifyAt(origin, mine)).status, { timeout: 10_000, interval: 20 }).toBe(401);
    expect(Date.now() - revokedAt).toBeLessThan(withRoom(2000));
  } finally {
    await blocker.query('ROLLBACK');
    await blocker.end();
  }
  await client.close();
});
