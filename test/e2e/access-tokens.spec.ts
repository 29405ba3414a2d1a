import { createHmac } from 'node:crypto';
import { exportSPKI, importJWK, type CryptoKey, type JWTHeaderParameters } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectSource, READ_SCOPES } from '../support/agents.js';
import { callAdmin } from '../support/admin-client.js';
import type { FakeUpstream } from '../support/fake-upstream.js';
import { startFakeUpstream } from '../support/fake-upstream.js';
import { type Claims, FakeIssuer, type IssuerKey, newIssuerKey } from '../support/fake-issuer.js';
import { callTool, legacy, post, postModern, type WireAnswer } from '../support/mcp-http.js';
import { registerClient } from '../support/agent-clients.js';
import { exchange } from '../support/raw-http.js';
import { nowSeconds, TokenWorld } from '../support/token-world.js';

const VERIFY = 'dealeragent.inventory.verify_availability';
const SEARCH = 'dealeragent.inventory.search';
const DOWNTOWN = 'roof.downtown';

let upstream: FakeUpstream;
let stranger: FakeIssuer;
let world: TokenWorld;
let url: string;

beforeAll(async () => {
  [upstream, stranger] = await Promise.all([startFakeUpstream(), FakeIssuer.start()]);
  world = await TokenWorld.start({
    demo: true,
    hosts: [upstream.host, stranger.host],
    credentials: { downtown: 'the-credential-of-the-dealers-system' },
  });
  url = world.url;
});
afterAll(async () => {
  await world.stop();
  for (const started of [upstream, stranger]) started.stop();
});
beforeEach(() => {
  world.ahead = 0;
  upstream.asked.length = 0;
});

const sign = (changes: Claims = {}, header: Partial<JWTHeaderParameters> = {}, key?: IssuerKey): Promise<string> =>
  world.sign(changes, header, key);
const list = (token: string, at = url): Promise<WireAnswer> => world.list(token, at);
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Refused outside like every other bad credential, and recorded for what it is. */
async function expectRefused(answer: WireAnswer, reason: string): Promise<void> {
  expect(answer.status, answer.text).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe(
    `Bearer error="invalid_token", scope="${READ_SCOPES.join(' ')}", ` +
      `resource_metadata="${world.service.origin}/.well-known/oauth-protected-resource${world.path}"`,
  );
  expect(answer.json.error.data).toMatchObject({ code: 'dealeragent.auth.invalid', retryable: false });
  expect(await world.reasonOf(answer)).toBe(reason);
}

describe('A token of a trusted issuer', () => {
  it('lets its client in under the grant, and the trail names the client', async () => {
    const answer = await list(await sign());
    expect(answer.status, answer.text).toBe(200);
    const searched = await callTool(
      url,
      SEARCH,
      { organization_id: world.service.organizationId, rooftop_ids: [DOWNTOWN] },
      { authorization: `Bearer ${await sign({ aud: ['https://elsewhere.example', url] })}` },
    );
    expect(searched.json.result.isError, searched.text).toBe(false);
    const [record] = await world.trail.ofEvent(searched.headers.get('x-request-id'));
    expect(record).toMatchObject({ actor_kind: 'agent', actor: 'agent:buyer-assistant', client: world.agentClientId });
  });

  it('is bound to the rooftops of the grant', async () => {
    const answer = await callTool(
      url,
      SEARCH,
      { organization_id: world.service.organizationId, rooftop_ids: ['roof.lakeside'] },
      { authorization: `Bearer ${await sign()}` },
    );
    expect(answer.text).toContain('dealeragent.tenant.forbidden');
  });

  it('never travels to the system of the dealer', async () => {
    const token = await sign();
    upstream.answer(() => ({ body: { status: 'available', observed_at: new Date().toISOString() } }));
    await connectSource(world.service, DOWNTOWN, {
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
      { organization_id: world.service.organizationId, rooftop_ids: [DOWNTOWN] },
      authorization,
    );
    const [{ vehicle_id }] = found.json.result.structuredContent.vehicles as [{ vehicle_id: string }];
    const args = { organization_id: world.service.organizationId, rooftop_id: DOWNTOWN, vehicle_id };
    await expect
      .poll(async () => (await callTool(url, VERIFY, args, authorization)).text, { timeout: 10_000 })
      .toContain('"isError":false');
    expect(upstream.asked.length).toBeGreaterThan(0);
    const everything = JSON.stringify(upstream.asked);
    for (const piece of token.split('.')) expect(everything).not.toContain(piece);
    expect(everything).not.toContain(world.clientId);
    expect(upstream.asked[0]?.headers.authorization).toBe('Bearer the-credential-of-the-dealers-system');
    expect(await world.trail.text()).not.toContain(token.split('.')[2]);
  });

  it('carries no more scopes than it names', async () => {
    const args = { organization_id: world.service.organizationId, rooftop_id: DOWNTOWN, vehicle_id: 'veh.any' };
    for (const scope of [undefined, '', 'dealeragent:pricing:read', 'dealeragent:inventory:readonly', '*']) {
      const answer = await callTool(url, VERIFY, args, { authorization: `Bearer ${await sign({ scope })}` });
      expect(answer.status, answer.text).toBe(403);
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer error="insufficient_scope", scope="dealeragent:inventory:read", ` +
          `resource_metadata="${world.service.origin}/.well-known/oauth-protected-resource${world.path}"`,
      );
    }
  });

  it('whose client the organization does not know, or gave no grant, is forbidden and never taken for none', async () => {
    await registerClient(world.service, world.issuer.issuer, 'no-grant');
    for (const [changes, reason] of [
      [{ client_id: 'unknown' }, 'client_unknown'],
      [{ client_id: undefined }, 'client_unknown'],
      [{ client_id: world.clientId.toUpperCase() }, 'client_unknown'],
      [{ client_id: 'no-grant' }, 'client_without_grant'],
    ] as const) {
      const answer = await list(await sign(changes));
      expect([answer.status, answer.json.error.data.code]).toEqual([403, 'dealeragent.scope.insufficient']);
      expect(await world.reasonOf(answer)).toBe(reason);
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
    const endpoints = [
      url,
      `${url}/underscore`,
      `${world.service.origin}/mcp`,
      `${world.service.origin}/mcp/underscore`,
    ];
    const statuses = await Promise.all(
      endpoints.map(async (aud) => {
        const token = await sign({ aud });
        return Promise.all(endpoints.map(async (endpoint) => (await list(token, endpoint)).status));
      }),
    );
    expect(statuses).toEqual(endpoints.map((aud) => endpoints.map((endpoint) => (aud === endpoint ? 200 : 401))));
  });

  it('of an endpoint opens nothing at the admin API, and that of the admin API nothing here', async () => {
    const answer = await callAdmin(world.service, `Bearer ${await sign()}`, 'GET', 'grants');
    expect(answer.status).toBe(401);
    const staff = await callAdmin(
      world.service,
      `Bearer ${await sign({ aud: `${world.service.origin}/admin` })}`,
      'GET',
      'grants',
    );
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
    world.ahead = 71_000;
    await expectRefused(await list(token), 'token_expired');
  });

  it.each([
    ['another issuer', () => stranger.sign(world.good()), 'token_issuer'],
    ['one that says it is ours', () => stranger.sign(world.good({ iss: world.issuer.issuer })), 'token_key_unknown'],
    ['a slash more', () => sign({ iss: `${world.issuer.issuer}/` }), 'token_issuer'],
    ['upper case', () => sign({ iss: world.issuer.issuer.toUpperCase() }), 'token_issuer'],
    ['a list', () => sign({ iss: [world.issuer.issuer] }), 'token_issuer'],
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
    payload = part({ ...world.good(), iss: world.issuer.issuer, sub: 'somebody', iat: now, exp: now + 300 });
  });
  const kid = (): string => world.issuer.keys[0]?.kid ?? '';

  it.each(['none', 'None', 'NONE', 'nOnE', ''])('cannot leave the signature out: alg %j', async (alg) => {
    const header = part({ alg, kid: kid(), typ: 'at+jwt' });
    await expectRefused(await list(`${header}.${payload}.AAAA`), 'token_algorithm');
    await expectRefused(await list(`${header}.${payload}.`), 'credential_malformed');
  });

  it('cannot have a public key taken for a secret', async () => {
    const rsa = await newIssuerKey('RS256', 'confused');
    world.issuer.keys = [...world.issuer.keys, rsa];
    const pem = await exportSPKI((await importJWK(rsa.publicJwk, 'RS256')) as CryptoKey);
    for (const alg of ['HS256', 'HS384', 'HS512'])
      for (const secret of [pem, pem.trim(), JSON.stringify(rsa.publicJwk), rsa.publicJwk.n ?? '']) {
        const signed = `${part({ alg, kid: 'confused', typ: 'at+jwt' })}.${payload}`;
        const mac = createHmac(alg.replace('HS', 'sha'), secret).update(signed).digest('base64url');
        await expectRefused(await list(`${signed}.${mac}`), 'token_algorithm');
      }
    world.issuer.keys = world.issuer.keys.filter((key) => key !== rsa);
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
    const [record] = await world.trail.ofEvent(anonymous.headers.get('x-request-id'));
    expect(record?.actor_kind ?? 'anonymous').toBe('anonymous');
  });

  it('cannot send two headers, or two credentials in one', async () => {
    const token = await sign();
    const body = JSON.stringify(legacy('tools/list'));
    const head = [
      `POST ${world.path} HTTP/1.1`,
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
      const [record] = await world.trail.ofEvent(answer.headers['x-request-id'] ?? null);
      expect(record?.reason).toBe('credential_repeated');
    }
    for (const value of [`Bearer ${token}, Bearer ${token}`, `Bearer ${token} x`, `Basic eDp5, Bearer ${token}`])
      expect((await sent([`Authorization: ${value}`])).status).toBe(401);
    expect((await sent([one, ' x'])).status).not.toBe(200);
  });
});
