import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORD_STORE, type RecordStore } from '../../src/modules/authorization-server/app/record-store.js';
import { DpopKey } from '../support/dpop-key.js';
import { FakeClientSite } from '../support/fake-client-site.js';
import { ISSUER_CA_FILE } from '../support/fake-issuer.js';
import {
  addPerson,
  allow,
  authorized,
  authorizeUrl,
  CALLBACK,
  codeExchange,
  newBrowser,
  newPkce,
  oauthTrail,
  READ_SCOPES,
  register,
  tokenRequest,
} from '../support/oauth-world.js';
import { startTestService, type TestService } from '../support/service.js';

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const PROGRAM = { redirect_uris: [], grant_types: ['client_credentials'], response_types: [] };

let service: TestService;
let site: FakeClientSite;
let base: string;
let database: pg.Client;

beforeAll(async () => {
  site = await FakeClientSite.start();
  service = await startTestService({
    demo: false,
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      CLIENT_REGISTRATIONS_PER_MINUTE: '60',
      AUTHORIZATION_CALLS_PER_MINUTE: '10000',
      EGRESS_ALLOWED_HOSTS: site.host,
      EGRESS_CA_FILE: ISSUER_CA_FILE,
    },
  });
  base = service.origin;
  database = new pg.Client({ connectionString: service.database.adminUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.stop();
  await site.close();
});

const ask = (more: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  tokenRequest(
    base,
    { grant_type: 'client_credentials', scope: READ_SCOPES, resource: `${base}/mcp`, ...more },
    headers,
  );

async function keyedClient() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] };
  const client = await register(base, { ...PROGRAM, token_endpoint_auth_method: 'private_key_jwt', jwks });
  const assert = (claims: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    new SignJWT({ jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer((claims['iss'] as string | undefined) ?? client.client_id)
      .setSubject((claims['sub'] as string | undefined) ?? client.client_id)
      .setAudience(`${base}/oauth`)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
  const fields = async (assertion?: string) => ({
    client_id: client.client_id,
    client_assertion_type: ASSERTION,
    client_assertion: assertion ?? (await assert()),
  });
  return { client, assert, fields };
}

describe('A program', () => {
  it('proves itself with its key and gets a token of its own, recorded as an agent', async () => {
    const { client, fields } = await keyedClient();
    const { status, body } = await ask(await fields());
    expect({ status, body }).toMatchObject({ status: 200, body: { expires_in: 600, scope: READ_SCOPES } });
    expect(body.refresh_token).toBeUndefined();
    const keys = (await (await fetch(`${base}/oauth/jwks`)).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(body.access_token, createLocalJWKSet(keys), { audience: `${base}/mcp` });
    expect(payload).toMatchObject({ sub: client.client_id, client_id: client.client_id });
    const trail = (await oauthTrail(service)).filter((r) => r['client'] === client.client_id);
    expect(trail.at(-1)).toMatchObject({
      operation: 'oauth.token',
      actor_kind: 'agent',
      organization_id: service.organizationId,
    });
  });

  it('cannot use an assertion twice, nor at two places at once', async () => {
    const { assert, fields } = await keyedClient();
    const once = await assert();
    expect((await ask(await fields(once))).status).toBe(200);
    expect(await ask(await fields(once))).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const parallel = await assert();
    const answers = await Promise.all(Array.from({ length: 6 }, async () => ask(await fields(parallel))));
    expect(answers.filter((a) => a.status === 200)).toHaveLength(1);
  });

  it('is refused with the key of another one, another audience, or none', async () => {
    const [mine, other] = [await keyedClient(), await keyedClient()];
    const stolen = await other.assert({ iss: mine.client.client_id, sub: mine.client.client_id });
    expect((await ask(await mine.fields(stolen))).status).toBe(401);
    const { client_id } = mine.client;
    expect((await ask({ client_id })).status).toBe(401);
    expect((await ask({ client_id: 'forecourt-cli' })).status).toBe(400);
  });

  it.each(['client_secret_basic', 'client_secret_post'])('may prove itself by %s', async (method) => {
    const client = await register(base, { ...PROGRAM, token_endpoint_auth_method: method });
    const secret = String(client['client_secret']);
    const basic = `Basic ${Buffer.from(`${client.client_id}:${secret}`).toString('base64')}`;
    const byBasic = method === 'client_secret_basic';
    const good = byBasic
      ? await ask({}, { authorization: basic })
      : await ask({ client_id: client.client_id, client_secret: secret });
    expect(good.status).toBe(200);
    expect((await ask({ client_id: client.client_id, client_secret: `${secret.slice(1)}x` })).status).toBe(401);
  });

  it.each(['', 'https://elsewhere.example/mcp', '/admin'])('gets no token for the resource «%s»', async (resource) => {
    const { fields } = await keyedClient();
    const uri = resource.startsWith('/') ? base + resource : resource;
    const { status, body } = await ask({ ...(await fields()), resource: uri, scope: 'forecourt:admin' });
    expect({ status, error: body['error'] as unknown }).toEqual({ status: 400, error: 'invalid_target' });
  });

  it('gets no token without a resource', async () => {
    const { fields } = await keyedClient();
    const { status, body } = await tokenRequest(base, { grant_type: 'client_credentials', ...(await fields()) });
    expect({ status, error: body['error'] as unknown }).toEqual({ status: 400, error: 'invalid_target' });
  });
});

describe('A client that proves a key (RFC 9449)', () => {
  let key: DpopKey;
  beforeAll(async () => {
    key = await DpopKey.generate();
  });
  const proofFor = (of: DpopKey, changes: Readonly<Record<string, unknown>> = {}) =>
    of.prove('', `${base}/oauth/token`, { ath: undefined, ...changes });
  const list = (scheme: string, token: string, dpop?: string) =>
    fetch(`${base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `${scheme} ${token}`,
        'content-type': 'application/json',
        ...(dpop === undefined ? {} : { dpop }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });

  it('gets a token that counts with that key alone', async () => {
    const { fields } = await keyedClient();
    const { status, body } = await ask(await fields(), { dpop: await proofFor(key) });
    expect({ status, type: body['token_type'] as unknown }).toEqual({ status: 200, type: 'DPoP' });
    const keys = (await (await fetch(`${base}/oauth/jwks`)).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(body.access_token, createLocalJWKSet(keys));
    expect(payload['cnf']).toEqual({ jkt: key.thumbprint });
    const token = body.access_token;
    // Known, proved, and without a grant: 403. Anything less is no credential.
    expect((await list('DPoP', token, await key.prove(token, `${base}/mcp`))).status).toBe(403);
    const other = await DpopKey.generate();
    expect((await list('DPoP', token, await other.prove(token, `${base}/mcp`))).status).toBe(401);
    expect((await list('Bearer', token)).status).toBe(401);
    expect((await list('DPoP', token)).status).toBe(401);
  });

  it('is refused for a proof that was used, is for another place or algorithm, or is none', async () => {
    const once = await proofFor(key);
    const { fields } = await keyedClient();
    expect((await ask(await fields(), { dpop: once })).status).toBe(200);
    const proofs = [
      once,
      await key.prove('', `${base}/mcp`, { ath: undefined }),
      await proofFor(key, { htm: 'GET' }),
      await proofFor(key, { iat: 1_700_000_000 }),
      await key.prove('', `${base}/oauth/token`, { ath: undefined }, { jwk: key.privateJwk }),
      'none',
    ];
    for (const dpop of proofs) {
      const { status, body } = await ask(await fields(), { dpop });
      expect([status, body.access_token], dpop).toEqual([400, undefined]);
    }
  });

  it('has its refresh token bound to the key where it has no other credential', async () => {
    const { clientId, code, verifier } = await authorized(service, await addPerson(service, 'admin'));
    const renew = async (token: string | undefined, of?: DpopKey) =>
      tokenRequest(
        base,
        { grant_type: 'refresh_token', client_id: clientId, refresh_token: token ?? '' },
        of === undefined ? {} : { dpop: await proofFor(of) },
      );
    const { body } = await tokenRequest(
      base,
      { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: CALLBACK, code_verifier: verifier },
      { dpop: await proofFor(key) },
    );
    expect(body['token_type']).toBe('DPoP');
    expect((await renew(body.refresh_token)).status).toBe(400);
    expect((await renew(body.refresh_token, await DpopKey.generate())).status).toBe(400);
    const renewed = await renew(body.refresh_token, key);
    expect([renewed.status, renewed.body['token_type']]).toEqual([200, 'DPoP']);
  });

  it('finds in the metadata which algorithms it may prove with', async () => {
    const metadata = await fetch(`${base}/.well-known/oauth-authorization-server/oauth`);
    expect(await metadata.json()).toMatchObject({ dpop_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'] });
  });
});

describe('Registration', () => {
  it.each([
    ['a redirect in clear', { redirect_uris: ['http://agent.example/'] }, 'invalid_redirect_uri'],
    [
      'a script as redirect',
      { redirect_uris: ['javascript:alert(1)'], application_type: 'native' },
      'invalid_redirect_uri',
    ],
    ['a name that is none', { client_name: 'a\u202eb' }, 'invalid_client_metadata'],
    ['a program without a key', { ...PROGRAM, token_endpoint_auth_method: 'none' }, 'invalid_client_metadata'],
    ['a grant that is off', { grant_types: ['password'] }, 'invalid_client_metadata'],
    ['an implicit token', { response_types: ['token'], grant_types: ['implicit'] }, 'invalid_client_metadata'],
  ])('is refused for %s', async (_, metadata, error) => {
    expect(await register(base, metadata)).toMatchObject({ status: 400, error });
  });

  it('chooses ids itself and drops what it does not know', async () => {
    const client = await register(base, {
      client_id: 'forecourt-cli',
      client_secret: 'mine',
      anything: 'else',
      scope: READ_SCOPES,
    });
    expect(client).toMatchObject({ status: 201 });
    expect(client.client_id).not.toBe('forecourt-cli');
    expect(client).not.toHaveProperty('client_secret');
    expect(client).not.toHaveProperty('anything');
  });

  it('is bounded in size, also for bodies without a length', async () => {
    const body = JSON.stringify({ redirect_uris: [CALLBACK], contacts: ['x'.repeat(20_000)] });
    const headers = { 'content-type': 'application/json' };
    const sized = await fetch(`${base}/oauth/reg`, { method: 'POST', headers, body });
    const stream = new Response(body).body;
    const chunked = await fetch(`${base}/oauth/reg`, {
      method: 'POST',
      headers,
      body: stream,
      duplex: 'half',
    });
    expect([sized.status, chunked.status].every((status) => status >= 400 && status < 500)).toBe(true);
    expect(await sized.text()).not.toContain('client_id');
  });

  it('of a client that never gets a token is forgotten, of others kept', async () => {
    const idle = await register(base);
    const { client, fields } = await keyedClient();
    await ask(await fields());
    await database.query(
      `UPDATE forecourt.authorization_records SET expires_at = expires_at - interval '1 day 1 minute'`,
    );
    const records = service.app.get<RecordStore>(RECORD_STORE, { strict: false });
    expect(await records.sweep(1)).toBe(1);
    await records.sweep(10_000);
    const browser = newBrowser(base);
    expect((await browser.open(authorizeUrl(base, idle.client_id, newPkce()))).status).toBe(400);
    expect((await ask(await fields())).status).toBe(200);
    expect(client.status).toBe(201);
  });

  it('is bounded in number for each network', async () => {
    const from = (network: string) =>
      fetch(`${base}/oauth/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': network },
        body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
      });
    const answers = await Promise.all(Array.from({ length: 70 }, () => from('10.9.0.1')));
    expect(answers.filter((a) => a.status === 201)).toHaveLength(60);
    const refused = answers.find((a) => a.status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('10.9.0.2')).status).toBe(201);
  });
});

describe('A client that is a document', () => {
  const publish = (path: string, document: object = {}): string => {
    const client_id = site.url(path);
    const redirect_uris = [CALLBACK];
    site.documents.set(path, {
      client_id,
      client_name: 'Published agent',
      redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...document,
    });
    return client_id;
  };

  it('is let in without being registered', async () => {
    const clientId = publish('/agent.json');
    const admin = await addPerson(service, 'admin');
    const [browser, pkce] = [newBrowser(base), newPkce()];
    await allow(service, browser, authorizeUrl(base, clientId, pkce), admin);
    const code = browser.left?.searchParams.get('code') ?? '';
    expect(await codeExchange(base, clientId, code, pkce.verifier)).toMatchObject({ status: 200 });
  });

  it.each([
    ['names another client', '/other.json', { client_id: 'https://elsewhere.example/agent.json' }],
    ['brings a shared secret', '/secret.json', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['is too large', '/large.json', { policy_uri: `https://agent.example/${'x'.repeat(20_000)}` }],
    ['wants codes in clear', '/clear.json', { redirect_uris: ['http://agent.example/'] }],
  ])('is refused where it %s', async (_, path, document) => {
    const browser = newBrowser(base);
    expect((await browser.open(authorizeUrl(base, publish(path, document), newPkce()))).status).toBeGreaterThanOrEqual(
      400,
    );
    expect(browser.left).toBeUndefined();
  });

  it('is asked for at its own address alone: redirects are not followed', async () => {
    publish('/target.json', { client_id: site.url('/moved.json') });
    site.documents.set('/moved.json', site.url('/target.json'));
    const browser = newBrowser(base);
    expect((await browser.open(authorizeUrl(base, site.url('/moved.json'), newPkce()))).status).toBe(400);
    expect(site.asked).not.toContain('/target.json');
  });

  it.each([
    'https://127.0.0.1:1/agent.json',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.7/agent.json',
    'https://[::1]/agent.json',
    'https://[::ffff:10.0.0.7]/agent.json',
    'https://localhost/agent.json',
    'http://agent.example/agent.json',
  ])('is never fetched from inside: %s', async (clientId) => {
    const browser = newBrowser(base);
    const page = await browser.open(authorizeUrl(base, clientId, newPkce()));
    expect(page.status).toBe(400);
    expect(page.html).not.toMatch(/refused|ECONN|address/);
  });
});
