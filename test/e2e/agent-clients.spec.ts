import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { openHttpApp } from '../../src/process/run-service.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { type LetIn, letAgentIn, READ_SCOPES } from '../support/agents.js';
import { AuditTrail } from '../support/audit-trail.js';
import { DpopKey } from '../support/dpop-key.js';
import { type Claims, FakeIssuer, ISSUER_CA_FILE, newIssuerKey } from '../support/fake-issuer.js';
import { postModern, send, type WireAnswer } from '../support/mcp-http.js';
import { registerClient, trustIssuer } from '../support/oauth-clients.js';
import { startTestService, type TestService } from '../support/service.js';

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
  second = await openHttpApp({ ...service.settings, PUBLIC_URL: service.origin }, { takeJobs: false });
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
let named = 0;
const freshName = (): string => `client-${++named}`;

/** How long the second process still answers with this status. It asks often, as a busy agent would. */
async function millisecondsUntil(status: number, token: string): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < 3 * PROMISED_MS) {
    if ((await list(`Bearer ${token}`, secondOrigin + path)).status === status) return Date.now() - from;
    await new Promise((done) => setTimeout(done, 25));
  }
  return Infinity;
}

describe('The metadata of a resource', () => {
  const metadata = (suffix: string, headers: Record<string, string> = {}) =>
    send(`${service.origin}/.well-known/oauth-protected-resource${suffix}`, { headers });

  it.each(['/mcp', '/mcp/underscore', ''])(
    'names exactly the resource, whom to ask and for what: %j',
    async (suffix) => {
      await expectMetadata(suffix, suffix === '' ? '/mcp' : suffix);
    },
  );

  it('is there for the endpoints of each organization', async () => {
    await expectMetadata(path, path);
    await expectMetadata(`${path}/underscore`, `${path}/underscore`);
    const other = await metadata(`/organizations/${OTHER}/mcp`);
    expect(other.json.authorization_servers ?? []).not.toContain(issuer.issuer);
  });

  async function expectMetadata(suffix: string, resource: string): Promise<void> {
    const answer = await metadata(suffix);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      resource: service.origin + resource,
      authorization_servers: expect.arrayContaining([issuer.issuer]),
      scopes_supported: READ_SCOPES,
      bearer_methods_supported: ['header'],
    });
    expect(answer.json.authorization_servers.at(-1)).toBe(issuer.issuer);
  }

  it('of the admin API names no scopes, and no issuer of an organization', async () => {
    const { json } = await metadata('/admin');
    expect(json).toMatchObject({ resource: `${service.origin}/admin`, bearer_methods_supported: ['header'] });
    expect(json.authorization_servers ?? []).not.toContain(issuer.issuer);
    expect(json).not.toHaveProperty('scopes_supported');
  });

  it('may be read by every page, and kept for a moment', async () => {
    const answer = await metadata('/mcp', { origin: 'https://any.example' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cache-control')).toContain('max-age=60');
    const again = await metadata('/mcp', { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    const preflight = await send(`${service.origin}/.well-known/oauth-protected-resource/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'https://any.example', 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version');
  });

  it.each(['/organizations/org.nobody/mcp', '/mcp/', '/MCP', '/admin/v1', '/oauth', '/organizations//mcp', '/%6Dcp'])(
    'is not there for %s',
    async (suffix) => {
      expect((await metadata(suffix)).status).toBe(404);
    },
  );

  it('is where the challenge says, which official clients follow', async () => {
    for (const at of [path, `${path}/underscore`, '/mcp', '/mcp/underscore']) {
      const refused = await list('Bearer x', service.origin + at);
      const where = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
      expect((await send(where, {})).json.resource).toBe(service.origin + at);
    }
    const staff = await callAdmin(service, null, 'GET', 'grants');
    const where = /resource_metadata="([^"]+)"/.exec(staff.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect((await send(where, {})).json.resource).toBe(`${service.origin}/admin`);
  });
});

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
    const next = await call('GET', `agent-clients?limit=100&after=${first.json.data.next_after as string}`);
    const ids = [...first.json.data.agent_clients, ...next.json.data.agent_clients].map((c) => c.agent_client_id);
    expect(next.json.data.next_after).toBeNull();
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
    expect(answer.json.error.details.violations.map((v: { pointer: string }) => v.pointer)).toContain(pointer);
  });
});

describe('What ends', () => {
  it('as a client is out within two seconds on every process', async () => {
    const name = freshName();
    const { agentClientId } = await registerClient(service, issuer.issuer, name, agent.grantId);
    const token = await issuer.sign(good(name));
    expect((await list(`Bearer ${token}`, secondOrigin + path)).status).toBe(200);
    await call('POST', `agent-clients/${agentClientId}/revoke`);
    expect(await millisecondsUntil(401, token)).toBeLessThan(PROMISED_MS);
    expect(await reasonOf(await list(`Bearer ${token}`, secondOrigin + path))).toBe('client_revoked');
  });

  it('as a grant takes the client with it, and a new one lets it in again', async () => {
    const name = freshName();
    const { grantId } = await letAgentIn(service);
    const { agentClientId } = await registerClient(service, issuer.issuer, name, grantId);
    const token = await issuer.sign(good(name));
    expect((await list(`Bearer ${token}`, secondOrigin + path)).status).toBe(200);
    await call('POST', `grants/${grantId}/revoke`, undefined, { 'if-match': '"1"' });
    expect(await millisecondsUntil(401, token)).toBeLessThan(PROMISED_MS);
    expect(await reasonOf(await list(`Bearer ${token}`, secondOrigin + path))).toBe('grant_revoked');
    await call('PUT', `agent-clients/${agentClientId}/grant`, { grant_id: agent.grantId }, { 'if-match': '"1"' });
    expect(await millisecondsUntil(200, token)).toBeLessThan(PROMISED_MS);
  });

  it('as a grant whose time is over is over for tokens as well', async () => {
    const name = freshName();
    const { grantId } = await letAgentIn(service, { expires_at: new Date(Date.now() + 3000).toISOString() });
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
    expect(await millisecondsUntil(200, token)).toBeLessThan(PROMISED_MS);
    expect((await call('POST', `trusted-issuers/${id}/revoke`)).status).toBe(200);
    expect(await millisecondsUntil(401, token)).toBeLessThan(PROMISED_MS);
    expect(await reasonOf(await list(`Bearer ${token}`, secondOrigin + path))).toBe('token_issuer');
    passing.stop();
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
    expect(answer.json.error.details.violations.map((v: { pointer: string }) => v.pointer)).toContain(pointer);
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
    await expect.poll(async () => (await list(`Bearer ${token}`, otherUrl)).status, { timeout: 5000 }).toBe(403); // good, but a stranger
    // Remembered as good for the other organization; nobody here has signed it.
    const here = await list(`Bearer ${token}`);
    expect([here.status, await reasonOf(here)]).toEqual([401, 'token_signature']);
  });
});

describe('Opaque tokens', () => {
  const OPAQUE = 'opaque-token-of-a-client';
  let name: string;
  let opaqueIssuer: string;
  beforeAll(async () => {
    name = freshName();
    opaqueIssuer = `${issuer.issuer}/opaque`;
    await trustIssuer(service, opaqueIssuer, {
      introspection: {
        endpoint: `${issuer.issuer}/introspect`,
        client_id: 'gateway',
        credential: 'introspection',
      },
    });
    await registerClient(service, opaqueIssuer, name, agent.grantId);
    await new Promise((done) => setTimeout(done, 1600));
  });
  const said = (changes: object = {}) => ({
    active: true,
    client_id: name,
    aud: url,
    scope: READ_SCOPES.join(' '),
    exp: Math.floor(Date.now() / 1000) + 300,
    ...changes,
  });
  let count = 0;
  const token = (): string => `${OPAQUE}-${++count}`;

  it('count by the word of their issuer, who is asked once for a while with its own credential', async () => {
    issuer.introspected = () => said();
    const opaque = token();
    for (let i = 0; i < 3; i++) expect((await list(`Bearer ${opaque}`)).status).toBe(200);
    expect(issuer.asked).toEqual(['/tenant/introspect']);
    const basic = Buffer.from(`gateway:${INTROSPECTION_SECRET}`).toString('base64');
    expect(issuer.introspectionAuthorization).toBe(`Basic ${basic}`);
  });

  it.each([
    [{ active: false }, 'token_inactive'],
    [{ active: 'true' }, 'token_inactive'],
    [{ aud: undefined }, 'token_audience'],
    [{ aud: 'https://elsewhere.example' }, 'token_audience'],
    [{ iss: 'https://elsewhere.example' }, 'token_issuer'],
    [{ exp: undefined }, 'token_claims'],
    [{ exp: 1 }, 'token_expired'],
    [{ exp: 1e12 }, 'token_lifetime'],
  ])('do not count with %j', async (changes, reason) => {
    issuer.introspected = () => said(changes);
    const answer = await list(`Bearer ${token()}`);
    expect([answer.status, await reasonOf(answer)]).toEqual([401, reason]);
  });

  it('are not taken for good while their issuer is away', async () => {
    issuer.away = true;
    const answer = await list(`Bearer ${token()}`);
    issuer.away = false;
    expect([answer.status, await reasonOf(answer)]).toEqual([503, 'introspection_unavailable']);
  });
});

describe('Tokens bound to a key', () => {
  let key: DpopKey;
  let name: string;
  let bound: string;
  beforeAll(async () => {
    key = await DpopKey.generate();
    name = freshName();
    await registerClient(service, issuer.issuer, name, agent.grantId);
  });
  beforeEach(async () => {
    bound = await issuer.sign(good(name, { cnf: { jkt: key.thumbprint } }));
  });
  const present = (proof: string, scheme = 'DPoP', token = bound) => list(`${scheme} ${token}`, url, { dpop: proof });

  it('count with a proof, each of which counts once', async () => {
    const proof = await key.prove(bound, url);
    expect((await present(proof)).status).toBe(200);
    const again = await present(proof);
    expect([again.status, await reasonOf(again)]).toEqual([401, 'dpop_proof_replayed']);
    expect(again.headers.get('www-authenticate')).toContain('DPoP error="invalid_token"');
    expect((await present(await key.prove(bound, url))).status).toBe(200);
    expect((await present(await key.prove(bound, `${url}?a=b#c`), 'dpop')).status).toBe(200);
  });

  it('do not count as bearers, nor do plain ones as bound', async () => {
    const proof = await key.prove(bound, url);
    const bearer = await present(proof, 'Bearer');
    expect([bearer.status, await reasonOf(bearer)]).toEqual([401, 'token_bound_to_key']);
    const plain = await issuer.sign(good(name));
    const dpop = await present(await key.prove(plain, url), 'DPoP', plain);
    expect([dpop.status, await reasonOf(dpop)]).toEqual([401, 'dpop_required']);
  });

  it.each([
    ['of another method', { htm: 'GET' }, {}],
    ['of another endpoint', { htu: 'http://127.0.0.1:1/mcp' }, {}],
    ['of no endpoint', { htu: undefined }, {}],
    ['of another token', { ath: 'AAAA' }, {}],
    ['of no token', { ath: undefined }, {}],
    ['without a name', { jti: undefined }, {}],
    ['with a name that is none', { jti: 7 }, {}],
    ['from long ago', { iat: 1 }, {}],
    ['from the future', { iat: 4_000_000_000 }, {}],
    ['without a time', { iat: undefined }, {}],
    ['of another kind', {}, { typ: 'JWT' }],
    ['without a key', {}, { jwk: undefined }],
  ])('do not count with a proof %s', async (_name, changes, header) => {
    const answer = await present(await key.prove(bound, url, changes, header as never));
    expect([answer.status, await reasonOf(answer)]).toEqual([401, 'dpop_proof_invalid']);
  });

  it('do not count with the proof of another key, a private key in it, two proofs, none, or a huge one', async () => {
    const other = await DpopKey.generate();
    const proofs = [
      await other.prove(bound, url),
      await other.prove(bound, url, {}, { jwk: key.publicJwk }),
      await key.prove(bound, url, {}, { jwk: key.privateJwk as never }),
      `${await key.prove(bound, url)}, ${await key.prove(bound, url)}`,
      await key.prove(bound, url, { padding: 'x'.repeat(5000) }),
      'nonsense',
      '',
    ];
    for (const proof of proofs) {
      const answer = await present(proof);
      expect([answer.status, await reasonOf(answer)]).toEqual([401, 'dpop_proof_invalid']);
    }
  });

  it('are the only ones that count of an issuer that asks for them, and its challenge says so', async () => {
    const strict = `${issuer.issuer}/strict`;
    await trustIssuer(service, strict, { jwks_uri: `${issuer.issuer}/jwks`, requires_dpop: true });
    await registerClient(service, strict, name, agent.grantId);
    await new Promise((done) => setTimeout(done, 1600));
    const plain = await list(`Bearer ${await issuer.sign(good(name, { iss: strict }))}`);
    expect([plain.status, await reasonOf(plain)]).toEqual([401, 'dpop_required']);
    expect(plain.headers.get('www-authenticate')).toMatch(/^Bearer error=.*, DPoP .*algs="RS256 PS256 ES256"$/);
    const token = await issuer.sign(good(name, { iss: strict, cnf: { jkt: key.thumbprint } }));
    expect((await present(await key.prove(token, url), 'DPoP', token)).status).toBe(200);
    const { json } = await send(`${service.origin}/.well-known/oauth-protected-resource${path}`, {});
    expect(json.dpop_signing_alg_values_supported).toEqual(['RS256', 'PS256', 'ES256']);
    expect(json).not.toHaveProperty('dpop_bound_access_tokens_required');
  });
});
