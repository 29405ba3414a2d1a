import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { openHttpApp } from '../../src/process/run-service.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { type LetIn, letAgentIn, READ_SCOPES } from '../support/agents.js';
import { AuditTrail } from '../support/audit-trail.js';
import { DpopKey } from '../support/dpop-key.js';
import { type Claims, FakeIssuer, ISSUER_CA_FILE, newIssuerKey } from '../support/fake-issuer.js';
import { postModern, type WireAnswer } from '../support/mcp-http.js';
import { registerClient, trustIssuer } from '../support/agent-clients.js';
import { startTestService, type TestService } from '../support/service.js';
import { withRoom } from '../support/with-room.js';

const OTHER = 'org.other-group';
/** What decision record 0031 promises about revocation. */
const PROMISED_MS = 2000;
const INTROSPECTION_SECRET = 'the-secret-of-the-introspection-client';

let issuer: FakeIssuer;
let credentials: string;
let service: TestService;
let second: NestFastifyApplication;
let secondOrigin: string;
let trail: AuditTrail;
let path: string;
let url: string;
let admin: string;
let otherAdmin: string;
let agent: LetIn;

beforeAll(async () => {
  issuer = await FakeIssuer.start('/tenant');
  credentials = await mkdtemp(join(tmpdir(), 'forecourt-credentials-'));
  await writeFile(join(credentials, 'introspection'), `${INTROSPECTION_SECRET}\n`);
  service = await startTestService({
    demo: false,
    env: {
      DEFAULT_ORGANIZATION: DEMO_GROUP.organizationId,
      EGRESS_ALLOWED_HOSTS: issuer.host,
      EGRESS_CA_FILE: ISSUER_CA_FILE,
      ISSUER_CREDENTIALS_DIR: credentials,
    },
  });
  // Its own folder, as another machine has one.
  const folder = join(service.dataDir, 'second');
  second = await openHttpApp(
    { ...service.settings, PUBLIC_URL: service.origin, DATA_DIR: folder },
    { takeJobs: false },
  );
  await second.listen(0, '127.0.0.1');
  secondOrigin = (await second.getUrl()).replace('[::1]', '127.0.0.1');
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: OTHER, name: 'Other Group' });
  path = `/organizations/${service.organizationId}/mcp`;
  url = service.origin + path;
  trail = await AuditTrail.open(service.database);
  admin = `Bearer ${await service.adminToken()}`;
  otherAdmin = `Bearer ${await createKey(service, OTHER, 'admin')}`;
  agent = await letAgentIn(service);
  await trustIssuer(service, issuer.issuer, { jwks_uri: `${issuer.issuer}/jwks` });
});
afterAll(async () => {
  await trail.close();
  await second.close();
  await service.stop();
  issuer.stop();
  await rm(credentials, { recursive: true, force: true });
});
beforeEach(() => {
  issuer.asked.length = 0;
});

const call = (method: string, where: string, body?: unknown, headers: Record<string, string> = {}, key = admin) =>
  callAdmin(service, key, method, where, body, headers);
const good = (clientId: string, changes: Claims = {}): Claims => ({
  aud: url,
  client_id: clientId,
  scope: READ_SCOPES.join(' '),
  ...changes,
});
const list = (authorization: string, at = url, headers: Record<string, string> = {}): Promise<WireAnswer> =>
  postModern(at, 'tools/list', {}, { authorization, ...headers });
const reasonOf = async (answer: WireAnswer): Promise<string | null | undefined> =>
  (await trail.ofEvent(answer.headers.get('x-request-id')))[0]?.reason;
const pointersOf = ({ json }: WireAnswer): string[] =>
  (json.error.details.violations as { pointer: string }[]).map(({ pointer }) => pointer);
let named = 0;
const freshName = (): string => `client-${++named}`;

/** How long the second process still answers with this status. It asks often, as a busy agent would. */
async function millisecondsUntil(status: number, token: string): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < 10 * PROMISED_MS) {
    if ((await list(`Bearer ${token}`, secondOrigin + path)).status === status) return Date.now() - from;
    await new Promise((done) => setTimeout(done, 25));
  }
  return Infinity;
}

describe('Agent clients', () => {
  it('are created, shown, listed by pages and given a grant by whoever has seen the newest version', async () => {
    const clientId = 'https://client.example/metadata.json';
    const created = await call('POST', 'agent-clients', { issuer: issuer.issuer, client_id: clientId, name: 'Büro' });
    expect(created.status, created.text).toBe(201);
    const { agent_client_id: id } = created.json.data as { agent_client_id: string };
    expect(created.json.data).toMatchObject({ version: 1, issuer: issuer.issuer, client_id: clientId, grant_id: null });
    expect(created.headers.get('etag')).toBe('"1"');
    const shown = await call('GET', `agent-clients/${id}`);
    expect([shown.json.data, shown.headers.get('etag')]).toEqual([created.json.data, '"1"']);

    const put = (etag?: string, grant = agent.grantId) =>
      call('PUT', `agent-clients/${id}/grant`, { grant_id: grant }, etag === undefined ? {} : { 'if-match': etag });
    expect((await put()).json.error.details.reason).toBe('precondition_required');
    expect((await put('*')).json.error.details.reason).toBe('precondition_required');
    expect((await put('"7"')).json.error.details.reason).toBe('precondition_failed');
    expect((await put('"1"', 'grant.nobody')).json.error.details.violations[0].pointer).toBe('/grant_id');
    const attached = await Promise.all([put('"1"'), put('"1"')]);
    expect(attached.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    const after = await call('GET', `agent-clients/${id}`);
    expect(after.json.data).toMatchObject({ version: 2, grant_id: agent.grantId });

    await registerClient(service, issuer.issuer, freshName());
    const first = await call('GET', 'agent-clients?limit=1');
    expect(first.json.data.agent_clients).toHaveLength(1);
    const next = await call('GET', `agent-clients?limit=100&cursor=${first.json.data.next_cursor as string}`);
    const ids = [first, next].flatMap(({ json }) =>
      (json.data.agent_clients as { agent_client_id: string }[]).map((client) => client.agent_client_id),
    );
    expect(next.json.data.next_cursor).toBeNull();
    expect(ids).toContain(id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted());
  });

  it('are known once under a name of an issuer, and may come back after they were revoked', async () => {
    const name = freshName();
    const { agentClientId } = await registerClient(service, issuer.issuer, name, agent.grantId);
    const twice = { issuer: issuer.issuer, client_id: name, name: 'again' };
    expect((await call('POST', 'agent-clients', twice)).json.error.code).toBe('rate_limited');
    expect((await call('POST', `agent-clients/${agentClientId}/revoke`)).status).toBe(200);
    expect((await call('POST', `agent-clients/${agentClientId}/revoke`)).status).toBe(200);
    const headers = { 'if-match': '"2"' };
    const late = await call('PUT', `agent-clients/${agentClientId}/grant`, { grant_id: agent.grantId }, headers);
    expect(late.status).toBe(429);
    await registerClient(service, issuer.issuer, name, agent.grantId);
    expect((await list(`Bearer ${await issuer.sign(good(name))}`)).status).toBe(200);
  });

  it('belong to their organization alone', async () => {
    const { agentClientId } = await registerClient(service, issuer.issuer, freshName(), agent.grantId);
    for (const [method, where, body] of [
      ['GET', `agent-clients/${agentClientId}`, undefined],
      ['POST', `agent-clients/${agentClientId}/revoke`, undefined],
      ['PUT', `agent-clients/${agentClientId}/grant`, { grant_id: agent.grantId }],
    ] as const) {
      const answer = await call(method, where, body, { 'if-match': '"1"' }, otherAdmin);
      expect(answer.json.error.details.reason, where).toBe('not_found');
    }
    const foreign = { issuer: issuer.issuer, client_id: freshName(), name: 'x', grant_id: agent.grantId };
    const refused = await call('POST', 'agent-clients', foreign, {}, otherAdmin);
    expect(refused.json.error.details.violations[0].pointer).toBe('/grant_id');
    expect((await call('GET', 'agent-clients', undefined, {}, otherAdmin)).json.data.agent_clients).toEqual([]);
  });

  it('leave one record for each change, with hashes of before and after, and refusals leave one as well', async () => {
    const name = freshName();
    const created = await call('POST', 'agent-clients', { issuer: issuer.issuer, client_id: name, name });
    const [record, ...more] = await trail.ofEvent(created.headers.get('x-request-id'));
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      operation: 'agent_clients.create',
      organization_id: service.organizationId,
      resource_ids: [created.json.data.agent_client_id],
      outcome: 'succeeded',
      before_hash: null,
      after_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    const auditor = `Bearer ${await createKey(service, service.organizationId, 'auditor')}`;
    const refused = await call('POST', 'agent-clients', { issuer: issuer.issuer, client_id: name, name }, {}, auditor);
    expect(refused.status).toBe(403);
    expect((await trail.ofEvent(refused.headers.get('x-request-id'))).length).toBe(1);
  });

  it.each([
    [{ issuer: 'https://x.example?y=1' }, '/issuer'],
    [{ issuer: 'ftp://x.example' }, '/issuer'],
    [{ client_id: '' }, '/client_id'],
    [{ client_id: 'a b' }, '/client_id'],
    [{ name: 'a\u202eb' }, '/name'],
    [{ grant_id: 'no grant' }, '/grant_id'],
    [{ organization_id: OTHER }, '/organization_id'],
    [{ agent_client_id: 'client.mine' }, '/agent_client_id'],
    [{ version: 7 }, '/version'],
    [{ revoked_at: null }, '/revoked_at'],
  ])('are not created with %j', async (changes, pointer) => {
    const body = { issuer: issuer.issuer, client_id: 'c', name: 'n', ...changes };
    const answer = await call('POST', 'agent-clients', body);
    expect(answer.status).toBe(400);
    expect(pointersOf(answer)).toContain(pointer);
  });
});

describe('What ends', () => {
  it('as a client is out within two seconds on every process', async () => {
    const name = freshName();
    const { agentClientId } = await registerClient(service, issuer.issuer, name, agent.grantId);
    const token = await issuer.sign(good(name));
    expect((await list(`Bearer ${token}`, secondOrigin + path)).status).toBe(200);
    await call('POST', `agent-clients/${agentClientId}/revoke`);
    expect(await millisecondsUntil(401, token)).toBeLessThan(withRoom(PROMISED_MS));
    expect(await reasonOf(await list(`Bearer ${token}`, secondOrigin + path))).toBe('client_revoked');
  });

  it('as a grant takes the client with it, and a new one lets it in again', async () => {
    const name = freshName();
    const { grantId } = await letAgentIn(service);
    const { agentClientId } = await registerClient(service, issuer.issuer, name, grantId);
    const token = await issuer.sign(good(name));
    expect((await list(`Bearer ${token}`, secondOrigin + path)).status).toBe(200);
    await call('POST', `grants/${grantId}/revoke`, undefined, { 'if-match': '"1"' });
    expect(await millisecondsUntil(401, token)).toBeLessThan(withRoom(PROMISED_MS));
    expect(await reasonOf(await list(`Bearer ${token}`, secondOrigin + path))).toBe('grant_revoked');
    await call('PUT', `agent-clients/${agentClientId}/grant`, { grant_id: agent.grantId }, { 'if-match': '"1"' });
    expect(await millisecondsUntil(200, token)).toBeLessThan(withRoom(PROMISED_MS));
  });

  it('as a grant whose time is over is over for tokens as well', async () => {
    const name = freshName();
    const { grantId } = await letAgentIn(service, { expires_at: new Date(Date.now() + 8000).toISOString() });
    await registerClient(service, issuer.issuer, name, grantId);
    const token = await issuer.sign(good(name));
    expect((await list(`Bearer ${token}`, secondOrigin + path)).status).toBe(200);
    await millisecondsUntil(401, token);
    expect(await reasonOf(await list(`Bearer ${token}`, secondOrigin + path))).toBe('grant_expired');
  });

  it('as an issuer takes all its tokens with it', async () => {
    const passing = await FakeIssuer.start();
    // Its keys lie where the egress guard lets requests through; it need not be asked itself.
    const key = await newIssuerKey();
    issuer.keys.push(key);
    const id = await trustIssuer(service, passing.issuer, { jwks_uri: `${issuer.issuer}/jwks` });
    const name = freshName();
    await registerClient(service, passing.issuer, name, agent.grantId);
    const token = await passing.sign(good(name), {}, key);
    expect(await millisecondsUntil(200, token)).toBeLessThan(withRoom(PROMISED_MS));
    expect((await call('POST', `trusted-issuers/${id}/revoke`)).status).toBe(200);
    expect(await millisecondsUntil(401, token)).toBeLessThan(withRoom(PROMISED_MS));
    expect(await reasonOf(await list(`Bearer ${token}`, secondOrigin + path))).toBe('token_issuer');
    passing.stop();
  });

  it('as an issuer is out within two seconds although no snapshot can be built', async () => {
    const passing = await FakeIssuer.start();
    const key = await newIssuerKey();
    issuer.keys.push(key);
    const id = await trustIssuer(service, passing.issuer, { jwks_uri: `${issuer.issuer}/jwks` });
    const name = freshName();
    await registerClient(service, passing.issuer, name, agent.grantId);
    const token = await passing.sign(good(name), {}, key);
    for (const at of [url, secondOrigin + path])
      await expect.poll(async () => (await list(`Bearer ${token}`, at)).status, { timeout: 20_000 }).toBe(200);
    const blocker = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE rooftops IN ACCESS EXCLUSIVE MODE');
    const ending = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
    await ending.connect();
    try {
      await ending.query('UPDATE trusted_issuers SET revoked_at = now() WHERE trusted_issuer_id = $1', [id]);
      const endedAt = Date.now();
      for (const at of [url, secondOrigin + path])
        await expect
          .poll(async () => (await list(`Bearer ${token}`, at)).status, { timeout: 10_000, interval: 20 })
          .toBe(401);
      expect(Date.now() - endedAt).toBeLessThan(withRoom(PROMISED_MS));
    } finally {
      await blocker.query('ROLLBACK');
      await Promise.all([blocker.end(), ending.end()]);
      passing.stop();
    }
  });
});

describe('A proof of possession', () => {
  it('that one process accepted is refused by every other', async () => {
    const name = freshName();
    await registerClient(service, issuer.issuer, name, agent.grantId);
    const key = await DpopKey.generate();
    const token = await issuer.sign(good(name, { cnf: { jkt: key.thumbprint } }));
    const present = (origin: string, proof: string): Promise<WireAnswer> =>
      postModern(origin + path, 'tools/list', {}, { authorization: `DPoP ${token}`, dpop: proof });
    for (const [here, there] of [
      [service.origin, secondOrigin],
      [secondOrigin, service.origin],
    ] as const) {
      const proof = await key.prove(token, url);
      expect((await present(here, proof)).status).toBe(200);
      const replayed = await present(there, proof);
      expect([replayed.status, await reasonOf(replayed)]).toEqual([401, 'dpop_proof_replayed']);
      expect((await present(there, await key.prove(token, url))).status).toBe(200);
    }
  });
});

describe('Trusted issuers', () => {
  it('are listed with what was ended, and named once while they are in force', async () => {
    const body = { issuer: 'https://login.example/', algorithms: ['RS256'], requires_dpop: true };
    const created = await call('POST', 'trusted-issuers', body);
    expect(created.json.data).toMatchObject({ ...body, jwks_uri: null, introspection: null, revoked_at: null });
    expect((await call('POST', 'trusted-issuers', body)).status).toBe(429);
    const { trusted_issuer_id: id } = created.json.data as { trusted_issuer_id: string };
    expect((await call('POST', `trusted-issuers/${id}/revoke`, undefined, {}, otherAdmin)).status).toBe(400);
    expect((await call('POST', `trusted-issuers/${id}/revoke`)).status).toBe(200);
    const listed = (await call('GET', 'trusted-issuers')).json.data.trusted_issuers as Record<string, unknown>[];
    expect(listed.find((i) => i['trusted_issuer_id'] === id)?.['revoked_at']).toEqual(expect.any(String));
    expect((await call('GET', 'trusted-issuers', undefined, {}, otherAdmin)).json.data.trusted_issuers).toEqual([]);
    const [record] = await trail.ofEvent(created.headers.get('x-request-id'));
    expect(record).toMatchObject({ operation: 'trusted_issuers.create', resource_ids: [id] });
  });

  it.each([
    [{ issuer: 'https://x.example/?a' }, '/issuer'],
    [{ issuer: 'https://user@x.example' }, '/issuer'],
    [{ issuer: 'javascript:alert(1)' }, '/issuer'],
    [{ algorithms: ['none'] }, '/algorithms'],
    [{ algorithms: ['HS256'] }, '/algorithms'],
    [{ algorithms: [] }, '/algorithms'],
    [{ introspection: { endpoint: 'https://x.example' } }, '/introspection/client_id'],
    [
      { introspection: { endpoint: 'https://x.example', client_id: 'c', credential: '../secret' } },
      '/introspection/credential',
    ],
    [{ requires_dpop: 'yes' }, '/requires_dpop'],
    [{ organization_id: OTHER }, '/organization_id'],
  ])('are not added with %j', async (changes, pointer) => {
    const answer = await call('POST', 'trusted-issuers', { issuer: 'https://x.example', ...changes });
    expect(answer.status, answer.text).toBe(400);
    expect(pointersOf(answer)).toContain(pointer);
  });

  it('cannot be this service', async () => {
    const answer = await call('POST', 'trusted-issuers', { issuer: `${service.origin}/oauth` });
    expect(answer.json.error.details.violations[0].pointer).toBe('/issuer');
  });

  it('of one organization say nothing about the same name in another', async () => {
    // The other organization says that the keys of the issuer are where it keeps its own.
    const forged = await newIssuerKey('ES256', issuer.keys[0]?.kid);
    issuer.otherKeys = [forged];
    const name = freshName();
    await registerClient(service, issuer.issuer, name, agent.grantId);
    const otherUrl = `${service.origin}/organizations/${OTHER}/mcp`;
    const body = { issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/other-jwks` };
    expect((await call('POST', 'trusted-issuers', body, {}, otherAdmin)).status).toBe(201);
    const token = await issuer.sign(good(name, { aud: [url, otherUrl] }), {}, forged);
    await expect.poll(async () => (await list(`Bearer ${token}`, otherUrl)).status, { timeout: 20_000 }).toBe(403); // good, but a stranger
    // Remembered as good for the other organization; nobody here has signed it.
    const here = await list(`Bearer ${token}`);
    expect([here.status, await reasonOf(here)]).toEqual([401, 'token_signature']);
  });
});
