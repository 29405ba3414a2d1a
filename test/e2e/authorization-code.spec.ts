import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  addPerson,
  allow,
  authorized,
  authorizeUrl,
  CALLBACK,
  codeExchange,
  codeOf,
  newBrowser,
  newPkce,
  oauthTrail,
  READ_SCOPES,
  refresh,
  register,
} from '../support/oauth-world.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let base: string;
let admin: string;

beforeAll(async () => {
  service = await startTestService({
    demo: false,
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      CLIENT_REGISTRATIONS_PER_MINUTE: '1000',
      AUTHORIZATION_CALLS_PER_MINUTE: '10000',
    },
  });
  base = service.origin;
  admin = await addPerson(service, 'admin');
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => service.stop());

const exchange = (of: Awaited<ReturnType<typeof authorized>>, more: Readonly<Record<string, string>> = {}) =>
  codeExchange(base, of.clientId, of.code, of.verifier, more);

describe('The authorization code flow', () => {
  it('ends in a short token for the one resource, signed with a published key', async () => {
    const one = await authorized(service, admin);
    const { status, body } = await exchange(one);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 600, scope: READ_SCOPES },
    });
    const keys = createRemoteJWKSet(new URL(`${base}/oauth/jwks`));
    const { payload } = await jwtVerify(body.access_token, keys, {
      issuer: `${base}/oauth`,
      audience: `${base}/mcp`,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(payload).toMatchObject({ sub: admin, client_id: one.clientId, scope: READ_SCOPES, aud: `${base}/mcp` });
    expect(payload).not.toHaveProperty('organization_id');
  });

  it('leaves consent and token in the trail of the organization, and refusals with their code', async () => {
    const one = await authorized(service, admin);
    await exchange(one);
    await exchange(one);
    const mine = (await oauthTrail(service)).filter((r) => r['client'] === one.clientId);
    const { organizationId } = service;
    const scopes = READ_SCOPES.split(' ');
    expect(mine).toMatchObject([
      { operation: 'oauth.register', organization_id: 'forecourt.platform', decision: 'allow' },
      { operation: 'oauth.consent', organization_id: organizationId, actor: admin, resource_ids: scopes },
      { operation: 'oauth.token', organization_id: organizationId, actor_kind: 'person', decision: 'allow' },
      { operation: 'oauth.token', organization_id: 'forecourt.platform', decision: 'deny', reason: 'invalid_grant' },
    ]);
  });

  it('keeps no code, token or cookie in clear', async () => {
    const one = await authorized(service, admin);
    const { body } = await exchange(one);
    const client = new pg.Client({ connectionString: service.database.adminUrl });
    await client.connect();
    const { rows } = await client.query<{ text: string }>(
      'SELECT a::text AS text FROM forecourt.authorization_records a',
    );
    await client.end();
    expect(rows.length).toBeGreaterThan(3);
    const hex = (text: string): string => Buffer.from(text).toString('hex');
    const secrets = [one.code, String(body.refresh_token), one.clientId].flatMap((s) => [s, hex(s)]);
    expect(rows.filter(({ text }) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  });
});

describe('A code', () => {
  it('works once; a replay takes down what came of it', async () => {
    const one = await authorized(service, admin);
    const { body } = await exchange(one);
    expect(await exchange(one)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(base, one.clientId, body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('is given to one of many that come at the same moment, and then nobody keeps anything', async () => {
    const one = await authorized(service, admin);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(one)));
    const good = answers.filter((a) => a.status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const { body } of good)
      expect(await refresh(base, one.clientId, body.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('is worth nothing a minute later', async () => {
    const one = await authorized(service, admin);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await exchange(one)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it.each([
    ['a wrong verifier', { code_verifier: newPkce().verifier }],
    ['another redirect', { redirect_uri: `${CALLBACK}/` }],
    ['another client', { client_id: 'forecourt-cli' }],
    ['another resource', { resource: 'http://127.0.0.1:1/mcp' }],
  ])('is refused with %s', async (_, more) => {
    const one = await authorized(service, admin);
    const { status, body } = await exchange(one, more);
    expect(status).toBe(400);
    expect(['invalid_grant', 'invalid_target']).toContain(body['error']);
  });

  it('is refused without a verifier', async () => {
    const { clientId, code } = await authorized(service, admin);
    expect(await codeExchange(base, clientId, code, '')).toMatchObject({ status: 400 });
  });
});

describe('A refresh token', () => {
  it('is new after each use; one that comes back takes its whole family down', async () => {
    const one = await authorized(service, admin);
    const { body: first } = await exchange(one);
    const { body: second } = await refresh(base, one.clientId, first.refresh_token);
    expect(second).toMatchObject({ scope: READ_SCOPES, access_token: expect.any(String) as string });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await refresh(base, one.clientId, first.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await refresh(base, one.clientId, second.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('gives one of many at the same moment a token, at most, and ends', async () => {
    const one = await authorized(service, admin);
    const { body } = await exchange(one);
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(base, one.clientId, body.refresh_token)));
    expect(answers.filter((a) => a.status === 200).length).toBeLessThanOrEqual(1);
    for (const { body: next } of answers.filter((a) => a.status === 200))
      expect(await refresh(base, one.clientId, next.refresh_token)).toMatchObject({ status: 400 });
  });

  it('does not belong to other clients, and ends when it is revoked', async () => {
    const one = await authorized(service, admin);
    const other = await register(base);
    const { body } = await exchange(one);
    expect(await refresh(base, other.client_id, body.refresh_token)).toMatchObject({
      body: { error: 'invalid_grant' },
    });
    const form = new URLSearchParams({ token: String(body.refresh_token), client_id: one.clientId });
    const revoked = await fetch(`${base}/oauth/token/revocation`, { method: 'POST', body: form });
    expect(revoked.status).toBe(200);
    expect(await refresh(base, one.clientId, body.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  });
});

describe('An authorization request', () => {
  it.each([
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['a foreign resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['unknown scopes', { scope: 'everything' }, 'invalid_scope'],
    ['the scope of staff', { scope: 'forecourt:admin' }, 'invalid_scope'],
    ['an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
  ])('with %s goes back with an error', async (_, more, error) => {
    const { client_id: clientId } = await register(base);
    const browser = newBrowser(base);
    await browser.open(authorizeUrl(base, clientId, newPkce(), more));
    expect(browser.left?.href.startsWith(`${CALLBACK}?`) || browser.left?.href.startsWith(`${CALLBACK}#`)).toBe(true);
    expect(`${browser.left?.search}${browser.left?.hash}`).toContain(`error=${error}`);
  });

  it.each(['/', '/mcp/', '/MCP', '/mcp?x=1', '/organizations/nobody/mcp', '/admin', '/admin/'])(
    'for %s is for no resource of agents',
    async (path) => {
      const { client_id: clientId } = await register(base);
      const browser = newBrowser(base);
      await browser.open(authorizeUrl(base, clientId, newPkce(), { resource: `${base}${path}` }));
      expect(browser.left?.searchParams.get('error')).toBe('invalid_target');
    },
  );

  it('for two resources goes back with an error', async () => {
    const { client_id: clientId } = await register(base);
    const url = authorizeUrl(base, clientId, newPkce());
    url.searchParams.append('resource', `${base}/organizations/${service.organizationId}/mcp`);
    const browser = newBrowser(base);
    await browser.open(url);
    expect(browser.left?.searchParams.get('error')).toBe('invalid_target');
  });

  it.each([
    ['elsewhere', 'https://evil.example/'],
    ['a path below', `${CALLBACK}/more`],
    ['another port', 'http://127.0.0.1:4568/callback'],
    ['another name for it', 'http://localhost:4567/callback'],
    ['a query', `${CALLBACK}?x=1`],
    ['user information', 'http://127.0.0.1:4567@evil.example/callback'],
  ])('with a redirect to %s goes nowhere', async (_, redirect) => {
    const { client_id: clientId } = await register(base);
    const browser = newBrowser(base);
    const page = await browser.open(authorizeUrl(base, clientId, newPkce(), { redirect_uri: redirect }));
    expect(page.status).toBe(400);
    expect(browser.left).toBeUndefined();
    expect(page.html).not.toContain('evil.example');
  });

  it('of an unknown client goes nowhere', async () => {
    const browser = newBrowser(base);
    expect((await browser.open(authorizeUrl(base, 'nobody', newPkce()))).status).toBe(400);
    expect(browser.left).toBeUndefined();
  });

  it('of the command line cannot leave this machine, nor reach agents’ endpoints', async () => {
    const browser = newBrowser(base);
    await browser.open(authorizeUrl(base, 'forecourt-cli', newPkce(), { resource: `${base}/mcp` }));
    expect(browser.left?.searchParams.get('error')).toBe('invalid_target');
    const away = newBrowser(base);
    await away.open(authorizeUrl(base, 'forecourt-cli', newPkce(), { redirect_uri: 'https://evil.example/callback' }));
    expect(away.left).toBeUndefined();
  });
});

describe('A person', () => {
  it('is not signed in by a wrong code, nor twice by the same one', async () => {
    const { client_id: clientId } = await register(base);
    const url = authorizeUrl(base, clientId, newPkce());
    const browser = newBrowser(base);
    const page = await browser.open(url);
    const wrong = await browser.submit(page, '/sign-in', { person: admin, code: 'AAAA-AAAA-AAAA' });
    expect(wrong).toMatchObject({ status: 401, html: expect.stringContaining('do not belong together') as string });
    const code = await codeOf(service, admin);
    expect((await browser.submit(wrong, '/sign-in', { person: admin, code })).html).toContain('Allow access?');
    const again = newBrowser(base);
    expect((await again.submit(await again.open(url), '/sign-in', { person: admin, code })).status).toBe(401);
  });

  it.each(['compliance', 'auditor'] as const)('with the role %s lets nobody in', async (role) => {
    const person = await addPerson(service, role);
    const { client_id: clientId } = await register(base);
    const browser = newBrowser(base);
    const page = await browser.open(authorizeUrl(base, clientId, newPkce()));
    const refused = await browser.submit(page, '/sign-in', { person, code: await codeOf(service, person) });
    expect(refused.html).toContain('Only administrators');
    expect(refused.html).not.toContain('/consent"');
    const forced = await browser.open(refused.url + '/consent', { method: 'POST', headers: { origin: base } });
    expect(forced.status).toBe(403);
    await browser.submit(refused, '/refuse');
    expect(browser.left?.searchParams.get('error')).toBe('access_denied');
  });

  it('may refuse, and is asked again for every request', async () => {
    const { client_id: clientId } = await register(base);
    const browser = newBrowser(base);
    await allow(service, browser, authorizeUrl(base, clientId, newPkce()), admin);
    expect(browser.left?.searchParams.get('code')).toEqual(expect.any(String));
    browser.left = undefined;
    const page = await browser.open(authorizeUrl(base, clientId, newPkce()));
    expect(page.html).toContain('One-time code');
    await browser.submit(page, '/refuse');
    const answer = Object.fromEntries((browser.left as URL | undefined)?.searchParams ?? []);
    expect(answer).toMatchObject({ error: 'access_denied', state: 'a-state', iss: `${base}/oauth` });
  });

  it('sees a page that nothing can be put into, framed around, or kept of', async () => {
    const name = '<script>alert("1")</script>&amp;';
    const { client_id: clientId } = await register(base, { client_name: name });
    const browser = newBrowser(base);
    const page = await browser.open(authorizeUrl(base, clientId, newPkce()));
    expect(page.html).not.toContain('<script');
    expect(page.html).toContain('&#60;script&#62;');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-.*'; form-action 'self' http:\/\/127\.0\.0\.1:4567; frame-ancestors 'none'/,
      ) as string,
    });
    const consent = await browser.submit(page, '/sign-in', { person: admin, code: await codeOf(service, admin) });
    expect(consent.html).not.toContain('<script');
    expect(consent.html).toContain(`<code>${CALLBACK}</code>`);
    expect(consent.html).toContain('dealeragent:pricing:read');
  });
});

describe('Another site or browser', () => {
  it('cannot look at, sign in to, allow or refuse a request that is not its own', async () => {
    const { client_id: clientId } = await register(base);
    const victim = newBrowser(base);
    const page = await victim.open(authorizeUrl(base, clientId, newPkce()));
    const consent = await victim.submit(page, '/sign-in', { person: admin, code: await codeOf(service, admin) });
    const attacker = newBrowser(base);
    await attacker.open(authorizeUrl(base, clientId, newPkce())); // has cookies of a request of its own
    for (const [action, method] of [
      ['', 'GET'],
      ['/consent', 'POST'],
      ['/refuse', 'POST'],
      ['/sign-in', 'POST'],
    ] as const) {
      const body = method === 'POST' ? new URLSearchParams({ person: admin, code: 'x' }) : null;
      expect((await attacker.open(consent.url + action, { method, body })).status, action).toBe(404);
    }
    expect(attacker.left).toBeUndefined();
  });

  it('cannot post from its own pages', async () => {
    const { client_id: clientId } = await register(base);
    const victim = newBrowser(base);
    const page = await victim.open(authorizeUrl(base, clientId, newPkce()));
    const consent = await victim.submit(page, '/sign-in', { person: admin, code: await codeOf(service, admin) });
    for (const origin of ['https://evil.example', 'null'])
      expect((await victim.open(`${consent.url}/consent`, { method: 'POST', headers: { origin } })).status).toBe(403);
    const lax = victim.open(consent.url);
    expect((await lax).html).toContain('Allow access?');
  });

  it('cannot forge a cookie', async () => {
    const { client_id: clientId } = await register(base);
    const browser = newBrowser(base);
    const page = await browser.open(authorizeUrl(base, clientId, newPkce()));
    const uid = page.url.split('/').at(-1) ?? '';
    const forged = await fetch(page.url, {
      headers: { cookie: `_interaction=${uid}; _interaction.sig=AAAAAAAAAAAAAAAAAAAAAAAAAAA` },
    });
    expect(forged.status).toBe(404);
  });
});

describe('The metadata', () => {
  it('is the same in every form that clients try, whatever a caller says about proxies', async () => {
    const paths = [
      '/.well-known/oauth-authorization-server/oauth',
      '/.well-known/openid-configuration/oauth',
      '/oauth/.well-known/openid-configuration',
      '/oauth/.well-known/oauth-authorization-server',
    ];
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    for (const path of paths) {
      const answer = await fetch(base + path, { headers });
      const body = (await answer.json()) as Record<string, unknown>;
      expect(body).toMatchObject({
        issuer: `${base}/oauth`,
        authorization_endpoint: `${base}/oauth/auth`,
        token_endpoint: `${base}/oauth/token`,
        registration_endpoint: `${base}/oauth/reg`,
        revocation_endpoint: `${base}/oauth/token/revocation`,
        jwks_uri: `${base}/oauth/jwks`,
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
        scopes_supported: [...READ_SCOPES.split(' '), 'forecourt:admin'],
      });
      expect(JSON.stringify(body)).not.toContain('evil');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('offers nothing that is off', async () => {
    const off = ['me', 'device', 'request', 'session/end', 'token/introspection'];
    for (const path of off) {
      const answer = await fetch(`${base}/oauth/${path}`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
      expect(await answer.json(), path).toMatchObject({ error: { code: 'invalid_input' } });
    }
    const metadata = await (await fetch(`${base}/oauth/.well-known/openid-configuration`)).text();
    expect(metadata).not.toMatch(/introspection|userinfo|device|pushed|end_session/);
  });
});
