import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportSPKI, importJWK, type CryptoKey, type JWTHeaderParameters } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LetIn } from '../support/agents.js';
import { connectSource, letAgentIn, READ_SCOPES } from '../support/agents.js';
import { callAdmin } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import type { FakeUpstream } from '../support/fake-upstream.js';
import { startFakeUpstream } from '../support/fake-upstream.js';
import { type Claims, FakeIssuer, type IssuerKey, ISSUER_CA_FILE, newIssuerKey } from '../support/fake-issuer.js';
import { callTool, legacy, post, postModern, type WireAnswer } from '../support/mcp-http.js';
import { type RegisteredClient, registerClient, trustIssuer } from '../support/oauth-clients.js';
import { exchange } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const VERIFY = 'dealeragent.inventory.verify_availability';
const SEARCH = 'dealeragent.inventory.search';
const DOWNTOWN = 'roof.downtown';
const CLIENT = 'buyer-assistant';

let upstream: FakeUpstream;
let issuer: FakeIssuer;
let stranger: FakeIssuer;
let credentials: string;
let service: TestService;
let trail: AuditTrail;
let path: string;
let url: string;
let agent: LetIn;
let client: RegisteredClient;
/** Milliseconds that the service is ahead of everybody else. */
let ahead = 0;

beforeAll(async () => {
  [upstream, issuer, stranger] = await Promise.all([startFakeUpstream(), FakeIssuer.start(), FakeIssuer.start()]);
  credentials = await mkdtemp(join(tmpdir(), 'forecourt-credentials-'));
  await writeFile(join(credentials, 'downtown'), 'the-credential-of-the-dealers-system\n');
  service = await startTestService({
    clock: { now: () => Date.now() + ahead },
    env: {
      EGRESS_ALLOWED_HOSTS: [upstream.host, issuer.host, stranger.host].join(','),
      EGRESS_CA_FILE: ISSUER_CA_FILE,
      AVAILABILITY_CREDENTIALS_DIR: credentials,
    },
  });
  path = `/organizations/${service.organizationId}/mcp`;
  url = service.origin + path;
  trail = await AuditTrail.open(service.database);
  agent = await letAgentIn(service);
  await trustIssuer(service, issuer.issuer);
  client = await registerClient(service, issuer.issuer, CLIENT, agent.grantId);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
  for (const started of [upstream, issuer, stranger]) started.stop();
  await rm(credentials, { recursive: true, force: true });
});
beforeEach(() => {
  ahead = 0;
  upstream.asked.length = 0;
});

const good = (changes: Claims = {}): Claims => ({
  aud: url,
  client_id: CLIENT,
  scope: READ_SCOPES.join(' '),
  ...changes,
});
const sign = (changes: Claims = {}, header: Partial<JWTHeaderParameters> = {}, key?: IssuerKey): Promise<string> =>
  issuer.sign(good(changes), header, key);
const list = (token: string, at = url): Promise<WireAnswer> =>
  postModern(at, 'tools/list', {}, { authorization: `Bearer ${token}` });
const reasonOf = async (answer: WireAnswer): Promise<string | null | undefined> =>
  (await trail.ofEvent(answer.headers.get('x-request-id')))[0]?.reason;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Refused outside like every other bad credential, and recorded for what it is. */
async function expectRefused(answer: WireAnswer, reason: string): Promise<void> {
  expect(answer.status, answer.text).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe(
    `Bearer error="invalid_token", scope="${READ_SCOPES.join(' ')}", ` +
      `resource_metadata="${service.origin}/.well-known/oauth-protected-resource${path}"`,
  );
  expect(answer.json.error.data).toMatchObject({ code: 'dealeragent.auth.invalid', retryable: false });
  expect(await reasonOf(answer)).toBe(reason);
}

describe('A token of a trusted issuer', () => {
  it('lets its client in under the grant, and the trail names the client', async () => {
    const answer = await list(await sign());
    expect(answer.status, answer.text).toBe(200);
    const searched = await callTool(
      url,
      SEARCH,
      { organization_id: service.organizationId, rooftop_ids: [DOWNTOWN] },
      { authorization: `Bearer ${await sign({ aud: ['https://elsewhere.example', url] })}` },
    );
    expect(searched.json.result.isError, searched.text).toBe(false);
    const [record] = await trail.ofEvent(searched.headers.get('x-request-id'));
    expect(record).toMatchObject({ actor_kind: 'agent', actor: 'agent:buyer-assistant', client: client.agentClientId });
  });

  it('is bound to the rooftops of the grant', async () => {
    const answer = await callTool(
      url,
      SEARCH,
      { organization_id: service.organizationId, rooftop_ids: ['roof.lakeside'] },
      { authorization: `Bearer ${await sign()}` },
    );
    expect(answer.text).toContain('dealeragent.tenant.forbidden');
  });

  it('never travels to the system of the dealer', async () => {
    const token = await sign();
    upstream.answer(() => ({ body: { status: 'available', observed_at: new Date().toISOString() } }));
    await connectSource(service, DOWNTOWN, {
      name: 'downtown-dms',
      url: upstream.url,
      credential: 'downtown',
      authoritative: true,
      valid_seconds: 60,
      timeout_ms: 2000,
    });
    const authorization = { authorization: `Bearer ${token}`, 'x-forwarded-authorization': `Bearer ${token}` };
    const found = await callTool(
      url,
      SEARCH,
      { organization_id: service.organizationId, rooftop_ids: [DOWNTOWN] },
      authorization,
    );
    const [{ vehicle_id }] = found.json.result.structuredContent.vehicles as [{ vehicle_id: string }];
    const args = { organization_id: service.organizationId, rooftop_id: DOWNTOWN, vehicle_id };
    await expect.poll(async () => (await callTool(url, VERIFY, args, authorization)).json.result?.isError).toBe(false);
    expect(upstream.asked.length).toBeGreaterThan(0);
    const everything = JSON.stringify(upstream.asked);
    for (const piece of token.split('.')) expect(everything).not.toContain(piece);
    expect(everything).not.toContain(CLIENT);
    expect(upstream.asked[0]?.headers.authorization).toBe('Bearer the-credential-of-the-dealers-system');
    expect(await trail.text()).not.toContain(token.split('.')[2]);
  });

  it('carries no more scopes than it names', async () => {
    const args = { organization_id: service.organizationId, rooftop_id: DOWNTOWN, vehicle_id: 'veh.any' };
    for (const scope of [undefined, '', 'dealeragent:pricing:read', 'dealeragent:inventory:readonly', '*']) {
      const answer = await callTool(url, VERIFY, args, { authorization: `Bearer ${await sign({ scope })}` });
      expect(answer.status, answer.text).toBe(403);
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer error="insufficient_scope", scope="dealeragent:inventory:read", ` +
          `resource_metadata="${service.origin}/.well-known/oauth-protected-resource${path}"`,
      );
    }
  });

  it('whose client the organization does not know, or gave no grant, is forbidden and never taken for none', async () => {
    await registerClient(service, issuer.issuer, 'no-grant');
    for (const [changes, reason] of [
      [{ client_id: 'unknown' }, 'client_unknown'],
      [{ client_id: undefined }, 'client_unknown'],
      [{ client_id: CLIENT.toUpperCase() }, 'client_unknown'],
      [{ client_id: 'no-grant' }, 'client_without_grant'],
    ] as const) {
      const answer = await list(await sign(changes));
      expect([answer.status, answer.json.error.data.code]).toEqual([403, 'dealeragent.scope.insufficient']);
      expect(await reasonOf(answer)).toBe(reason);
    }
  });

  it.each(['initialize', 'tools/list', 'ping', 'tools/call'])(
    'that is bad is refused on %s as well',
    async (method) => {
      const token = await sign({ aud: 'https://elsewhere.example' });
      const params = { name: SEARCH, arguments: {}, protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} };
      await expectRefused(
        await post(url, legacy(method, params), { authorization: `Bearer ${token}` }),
        'token_audience',
      );
    },
  );
});

describe('The audience', () => {
  const misses: [string, (resource: string) => string][] = [
    ['a slash', (resource) => `${resource}/`],
    ['upper case', (resource) => resource.toUpperCase()],
    ['an upper-case letter in the path', (resource) => resource.replace('/mcp', '/Mcp')],
    ['a prefix', (resource) => resource.slice(0, -1)],
    ['the origin', (resource) => new URL(resource).origin],
    ['the origin with a slash', (resource) => new URL('/', resource).href],
    ['a suffix', (resource) => `${resource}x`],
    ['the underscore endpoint', (resource) => `${resource}/underscore`],
    ['another port', (resource) => resource.replace(/:\d+\//, ':1/')],
    ['another scheme', (resource) => resource.replace('http:', 'https:')],
    ['another host', (resource) => resource.replace('127.0.0.1', 'localhost')],
    ['another organization', (resource) => resource.replace('/organizations/', '/organizations/x')],
    ['the default endpoint', (resource) => new URL('/mcp', resource).href],
    ['the admin API', (resource) => new URL('/admin', resource).href],
    ['a query', (resource) => `${resource}?`],
    ['a fragment', (resource) => `${resource}#`],
    ['a user name', (resource) => resource.replace('://', '://x@')],
    ['an escaped letter', (resource) => resource.replace('/mcp', '/%6Dcp')],
    ['a space', (resource) => `${resource} `],
    ['two in one', (resource) => `${resource} https://elsewhere.example`],
    ['a wildcard', () => '*'],
    ['nothing', () => ''],
  ];
  it.each(misses)('is compared byte for byte: %s', async (_name, change) => {
    await expectRefused(await list(await sign({ aud: change(url) })), 'token_audience');
    const array = [change(url), 'https://elsewhere.example'];
    await expectRefused(await list(await sign({ aud: array })), 'token_audience');
  });

  it.each([undefined, 7, true, [], {}])('is a string or a list with one: %j is none', async (aud) => {
    await expectRefused(await list(await sign({ aud })), 'token_audience');
  });

  it('of each endpoint opens that endpoint alone', async () => {
    const endpoints = [url, `${url}/underscore`, `${service.origin}/mcp`, `${service.origin}/mcp/underscore`];
    const statuses = await Promise.all(
      endpoints.map(async (aud) => {
        const token = await sign({ aud });
        return Promise.all(endpoints.map(async (endpoint) => (await list(token, endpoint)).status));
      }),
    );
    expect(statuses).toEqual(endpoints.map((aud) => endpoints.map((endpoint) => (aud === endpoint ? 200 : 401))));
  });

  it('of an endpoint opens nothing at the admin API, and that of the admin API nothing here', async () => {
    const answer = await callAdmin(service, `Bearer ${await sign()}`, 'GET', 'grants');
    expect(answer.status).toBe(401);
    const staff = await callAdmin(service, `Bearer ${await sign({ aud: `${service.origin}/admin` })}`, 'GET', 'grants');
    expect(staff.status).toBe(401);
  });
});

describe('A token that is no good', () => {
  it.each([
    ['expired', (now: number) => ({ iat: now - 400, exp: now - 31 }), 'token_expired'],
    ['issued in the future', (now: number) => ({ iat: now + 61, exp: now + 300 }), 'token_not_yet_valid'],
    ['not valid before the future', (now: number) => ({ nbf: now + 61 }), 'token_not_yet_valid'],
    ['without an end', () => ({ exp: undefined }), 'token_claims'],
    ['with an end in words', (now: number) => ({ exp: String(now + 300) }), 'token_claims'],
    ['without a beginning', () => ({ iat: undefined }), 'token_claims'],
    ['without a subject', () => ({ sub: undefined }), 'token_claims'],
    ['made to live long', (now: number) => ({ exp: now + 86_400 }), 'token_lifetime'],
    ['made to live for ever', () => ({ exp: 1e15 }), 'token_lifetime'],
    ['bound to a certificate', () => ({ cnf: { 'x5t#S256': 'abc' } }), 'token_bound_to_key'],
    ['bound to a key, without proof', () => ({ cnf: { jkt: 'abc' } }), 'token_bound_to_key'],
  ])('is refused: %s', async (_name, changes, reason) => {
    await expectRefused(await list(await sign(changes(nowSeconds()))), reason);
  });

  it('counts no more once its time is over, although it was remembered', async () => {
    const token = await sign({ exp: nowSeconds() + 40 });
    expect((await list(token)).status).toBe(200);
    ahead = 71_000;
    await expectRefused(await list(token), 'token_expired');
  });

  it.each([
    ['another issuer', () => stranger.sign(good()), 'token_issuer'],
    ['one that says it is ours', () => stranger.sign(good({ iss: issuer.issuer })), 'token_key_unknown'],
    ['a slash more', () => sign({ iss: `${issuer.issuer}/` }), 'token_issuer'],
    ['upper case', () => sign({ iss: issuer.issuer.toUpperCase() }), 'token_issuer'],
    ['a list', () => sign({ iss: [issuer.issuer] }), 'token_issuer'],
    ['nobody', () => sign({ iss: undefined }), 'token_issuer'],
  ])('is refused: of %s', async (_name, token, reason) => {
    await expectRefused(await list(await token()), reason);
    expect(stranger.asked).toEqual([]);
  });

  it('is refused when it is huge', async () => {
    await expectRefused(await list(await sign({ groups: 'g'.repeat(9000) })), 'token_too_large');
  });

  it('is refused when a bit of it was changed', async () => {
    const [header, payload, signature] = (await sign()).split('.') as [string, string, string];
    const other = part({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), scope: 'everything' });
    await expectRefused(await list(`${header}.${other}.${signature}`), 'token_signature');
    const flipped = Buffer.from(signature, 'base64url');
    flipped[3] = (flipped[3] ?? 0) ^ 1;
    await expectRefused(await list(`${header}.${payload}.${flipped.toString('base64url')}`), 'token_signature');
    await expectRefused(await list(`${header}.${payload}.AAAA`), 'token_signature');
  });
});

describe('An attacker', () => {
  let payload: string;
  beforeEach(() => {
    const now = nowSeconds();
    payload = part({ ...good(), iss: issuer.issuer, sub: 'somebody', iat: now, exp: now + 300 });
  });
  const kid = (): string => issuer.keys[0]?.kid ?? '';

  it.each(['none', 'None', 'NONE', 'nOnE', ''])('cannot leave the signature out: alg %j', async (alg) => {
    const header = part({ alg, kid: kid(), typ: 'at+jwt' });
    await expectRefused(await list(`${header}.${payload}.AAAA`), 'token_algorithm');
    await expectRefused(await list(`${header}.${payload}.`), 'credential_malformed');
  });

  it('cannot have a public key taken for a secret', async () => {
    const rsa = await newIssuerKey('RS256', 'confused');
    issuer.keys = [...issuer.keys, rsa];
    const pem = await exportSPKI((await importJWK(rsa.publicJwk, 'RS256')) as CryptoKey);
    for (const alg of ['HS256', 'HS384', 'HS512'])
      for (const secret of [pem, pem.trim(), JSON.stringify(rsa.publicJwk), rsa.publicJwk.n ?? '']) {
        const signed = `${part({ alg, kid: 'confused', typ: 'at+jwt' })}.${payload}`;
        const mac = createHmac(alg.replace('HS', 'sha'), secret).update(signed).digest('base64url');
        await expectRefused(await list(`${signed}.${mac}`), 'token_algorithm');
      }
    issuer.keys = issuer.keys.filter((key) => key !== rsa);
  });

  it.each([
    '../../../../../../dev/null',
    '/etc/passwd',
    'https://evil.example/jwks.json',
    `' OR '1'='1`,
    `x' UNION SELECT 'secret' --`,
    '__proto__',
    'constructor',
    'made-up',
  ])('cannot name a key of its own: kid %j', async (injected) => {
    const own = await newIssuerKey('ES256', injected);
    await expectRefused(await list(await sign({}, {}, own)), 'token_key_unknown');
  });

  it('cannot leave the name of the key out, or send something that is no name', async () => {
    for (const wrong of [undefined, '', 7, { $ne: '' }, ['a']])
      await expectRefused(await list(await sign({}, { kid: wrong } as never)), 'token_key_unknown');
  });

  it('cannot bring its key along, nor have it fetched', async () => {
    const own = await newIssuerKey('ES256');
    stranger.keys = [own];
    stranger.asked.length = 0;
    const places = {
      jwk: own.publicJwk,
      jku: `${stranger.issuer}/jwks`,
      x5u: `${stranger.issuer}/jwks`,
      x5c: ['AAAA'],
    };
    await expectRefused(await list(await sign({}, places, own)), 'token_key_unknown');
    await expectRefused(await list(await sign({}, { ...places, kid: kid() }, own)), 'token_signature');
    expect(stranger.asked).toEqual([]);
  });

  it.each([
    [{ typ: 'dpop+jwt' }, 'token_type'],
    [{ typ: 'logout+jwt' }, 'token_type'],
    [{ typ: undefined }, 'token_type'],
    [{ crit: ['exp'] }, 'token_header'],
  ])('cannot pass off another kind of token: %j', async (header, reason) => {
    const token = await sign();
    const [, said, signature] = token.split('.') as [string, string, string];
    await expectRefused(
      await list(`${part({ alg: 'ES256', kid: kid(), typ: 'at+jwt', ...header })}.${said}.${signature}`),
      reason,
    );
  });

  it('cannot use a key of the issuer for an algorithm of another kind', async () => {
    for (const alg of ['RS256', 'PS256'])
      await expectRefused(
        await list(`${part({ alg, kid: kid(), typ: 'at+jwt' })}.${payload}.AAAA`),
        'token_key_unknown',
      );
  });

  it('cannot send a token in the query, with or without a header', async () => {
    const token = await sign();
    for (const headers of [{}, { authorization: `Bearer ${token}` }] as Record<string, string>[]) {
      const answer = await postModern(`${url}?access_token=${token}`, 'tools/list', {}, headers);
      await expectRefused(answer, 'token_in_query');
      expect(answer.text).not.toContain(token);
    }
    const body = { ...legacy('tools/list'), access_token: token, authorization: `Bearer ${token}` };
    const anonymous = await post(url, body);
    const [record] = await trail.ofEvent(anonymous.headers.get('x-request-id'));
    expect(record?.actor_kind ?? 'anonymous').toBe('anonymous');
  });

  it('cannot send two headers, or two credentials in one', async () => {
    const token = await sign();
    const body = JSON.stringify(legacy('tools/list'));
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${new URL(url).host}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    const sent = (lines: string[]) =>
      exchange(Number(new URL(url).port), [`${[...head, ...lines].join('\r\n')}\r\n\r\n${body}`]);
    const one = `Authorization: Bearer ${token}`;
    expect((await sent([one])).status).toBe(200);
    for (const lines of [
      [one, one],
      [one, 'authorization: Bearer x'],
      ['AUTHORIZATION: Basic eDp5', one],
    ]) {
      const answer = await sent(lines);
      expect(answer.status).toBe(401);
      const [record] = await trail.ofEvent(answer.headers['x-request-id'] ?? null);
      expect(record?.reason).toBe('credential_repeated');
    }
    for (const value of [`Bearer ${token}, Bearer ${token}`, `Bearer ${token} x`, `Basic eDp5, Bearer ${token}`])
      expect((await sent([`Authorization: ${value}`])).status).toBe(401);
    expect((await sent([`${one}`, ' x'])).status).not.toBe(200);
  });
});

describe('The keys of an issuer', () => {
  it('may be rotated: new ones count at once, withdrawn ones soon count no more', async () => {
    const [old] = issuer.keys as [IssuerKey];
    const next = await newIssuerKey();
    issuer.keys = [old, next];
    ahead = 11_000;
    expect((await list(await sign({}, {}, next))).status).toBe(200);
    issuer.keys = [next];
    const asked = issuer.asked.length;
    ahead = 23_000;
    expect((await list(await sign({}, {}, old))).status).toBe(200);
    expect(issuer.asked.length).toBe(asked);
    ahead = 700_000;
    const later = nowSeconds() + 700;
    await expectRefused(await list(await sign({ iat: later, exp: later + 300 }, {}, old)), 'token_key_unknown');
  });

  it('are not fetched for made-up names again and again, and count while the issuer is away', async () => {
    ahead = 800_000;
    const later = nowSeconds() + 800;
    const times = { iat: later, exp: later + 300 };
    expect((await list(await sign(times))).status).toBe(200);
    issuer.asked.length = 0;
    const made = await Promise.all(Array.from({ length: 20 }, () => newIssuerKey()));
    for (const key of made) await expectRefused(await list(await sign(times, {}, key)), 'token_key_unknown');
    expect(issuer.asked.length).toBeLessThanOrEqual(2);
    issuer.away = true;
    ahead = 3_600_000;
    const muchLater = nowSeconds() + 3600;
    const answer = await list(await sign({ iat: muchLater, exp: muchLater + 300 }));
    issuer.away = false;
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('An issuer that cannot be asked', () => {
  it('is said to be unavailable, is left alone, and opens nothing meanwhile', async () => {
    const away = await FakeIssuer.start();
    const exempt = service.settings.EGRESS_ALLOWED_HOSTS;
    expect(exempt).not.toContain(away.host);
    await trustIssuer(service, away.issuer);
    await new Promise((done) => setTimeout(done, 1600));
    for (let i = 0; i < 3; i++) {
      const answer = await list(await away.sign(good()));
      expect([answer.status, answer.json.error.data.code]).toEqual([503, 'dealeragent.upstream.unavailable']);
      expect(await reasonOf(answer)).toBe('issuer_keys_unavailable');
    }
    expect(away.asked, 'the egress guard let nothing through').toEqual([]);
    away.stop();
  });

  it('counts only where its metadata names it', async () => {
    await trustIssuer(service, stranger.issuer);
    await registerClient(service, stranger.issuer, CLIENT, agent.grantId);
    await new Promise((done) => setTimeout(done, 1600));
    stranger.metadata = { issuer: issuer.issuer, jwks_uri: `${stranger.issuer}/jwks` };
    expect((await list(await stranger.sign(good()))).status).toBe(503);
    stranger.metadata = { issuer: stranger.issuer, jwks_uri: `${stranger.issuer}/jwks` };
    ahead = 11_000;
    expect((await list(await stranger.sign(good()))).status).toBe(200);
  });
});
