import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { READ_SCOPES } from '../support/agents.js';
import { DpopKey } from '../support/dpop-key.js';
import { postModern, send, type WireAnswer } from '../support/mcp-http.js';
import { registerClient, trustIssuer } from '../support/agent-clients.js';
import { settled, TokenWorld } from '../support/token-world.js';

const INTROSPECTION_SECRET = 'the-secret-of-the-introspection-client';

let world: TokenWorld;
let url: string;

beforeAll(async () => {
  world = await TokenWorld.start({ credentials: { introspection: INTROSPECTION_SECRET } });
  url = world.url;
});
afterAll(() => world.stop());
beforeEach(() => {
  world.issuer.asked.length = 0;
});

const list = (authorization: string, headers: Record<string, string> = {}): Promise<WireAnswer> =>
  postModern(url, 'tools/list', {}, { authorization, ...headers });
const good = (clientId: string, changes: object = {}) => world.good({ client_id: clientId, ...changes });
let named = 0;
const freshName = (): string => `client-${++named}`;

describe('Opaque tokens', () => {
  const OPAQUE = 'opaque-token-of-a-client';
  let name: string;
  let opaqueIssuer: string;
  beforeAll(async () => {
    name = freshName();
    opaqueIssuer = `${world.issuer.issuer}/opaque`;
    await trustIssuer(world.service, opaqueIssuer, {
      introspection: {
        endpoint: `${world.issuer.issuer}/introspect`,
        client_id: 'gateway',
        credential: 'introspection',
      },
    });
    await registerClient(world.service, opaqueIssuer, name, world.agent.grantId);
    await settled();
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
    world.issuer.introspected = () => said();
    const opaque = token();
    for (let i = 0; i < 3; i++) expect((await list(`Bearer ${opaque}`)).status).toBe(200);
    expect(world.issuer.asked).toEqual(['/tenant/introspect']);
    const basic = Buffer.from(`gateway:${INTROSPECTION_SECRET}`).toString('base64');
    expect(world.issuer.introspectionAuthorization).toBe(`Basic ${basic}`);
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
    world.issuer.introspected = () => said(changes);
    const answer = await list(`Bearer ${token()}`);
    expect([answer.status, await world.reasonOf(answer)]).toEqual([401, reason]);
  });

  it('are not taken for good while their issuer is away', async () => {
    world.issuer.away = true;
    const answer = await list(`Bearer ${token()}`);
    world.issuer.away = false;
    expect([answer.status, await world.reasonOf(answer)]).toEqual([503, 'introspection_unavailable']);
  });
});

describe('Tokens bound to a key', () => {
  let key: DpopKey;
  let name: string;
  let bound: string;
  beforeAll(async () => {
    key = await DpopKey.generate();
    name = freshName();
    await registerClient(world.service, world.issuer.issuer, name, world.agent.grantId);
  });
  beforeEach(async () => {
    bound = await world.issuer.sign(good(name, { cnf: { jkt: key.thumbprint } }));
  });
  const present = (proof: string, scheme = 'DPoP', token = bound) => list(`${scheme} ${token}`, { dpop: proof });

  it('count with a proof, each of which counts once', async () => {
    const proof = await key.prove(bound, url);
    expect((await present(proof)).status).toBe(200);
    const again = await present(proof);
    expect([again.status, await world.reasonOf(again)]).toEqual([401, 'dpop_proof_replayed']);
    expect(again.headers.get('www-authenticate')).toContain('DPoP error="invalid_token"');
    expect((await present(await key.prove(bound, url))).status).toBe(200);
    expect((await present(await key.prove(bound, `${url}?a=b#c`), 'dpop')).status).toBe(200);
  });

  it('do not count as bearers, nor do plain ones as bound', async () => {
    const proof = await key.prove(bound, url);
    const bearer = await present(proof, 'Bearer');
    expect([bearer.status, await world.reasonOf(bearer)]).toEqual([401, 'token_bound_to_key']);
    const plain = await world.issuer.sign(good(name));
    const dpop = await present(await key.prove(plain, url), 'DPoP', plain);
    expect([dpop.status, await world.reasonOf(dpop)]).toEqual([401, 'dpop_required']);
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
    expect([answer.status, await world.reasonOf(answer)]).toEqual([401, 'dpop_proof_invalid']);
  });

  it('do not count with the proof of another key, a private key in it, two proofs, none, or a huge one', async () => {
    const other = await DpopKey.generate();
    const proofs = [
      await other.prove(bound, url),
      await other.prove(bound, url, {}, { jwk: key.publicJwk }),
      await key.prove(bound, url, {}, { jwk: key.privateJwk }),
      `${await key.prove(bound, url)}, ${await key.prove(bound, url)}`,
      await key.prove(bound, url, { padding: 'x'.repeat(5000) }),
      'nonsense',
      '',
    ];
    for (const proof of proofs) {
      const answer = await present(proof);
      expect([answer.status, await world.reasonOf(answer)]).toEqual([401, 'dpop_proof_invalid']);
    }
  });

  it('are the only ones that count of an issuer that asks for them, and its challenge says so', async () => {
    const strict = `${world.issuer.issuer}/strict`;
    await trustIssuer(world.service, strict, { jwks_uri: `${world.issuer.issuer}/jwks`, requires_dpop: true });
    await registerClient(world.service, strict, name, world.agent.grantId);
    await settled();
    const plain = await list(`Bearer ${await world.issuer.sign(good(name, { iss: strict }))}`);
    expect([plain.status, await world.reasonOf(plain)]).toEqual([401, 'dpop_required']);
    expect(plain.headers.get('www-authenticate')).toMatch(/^Bearer error=.*, DPoP .*algs="RS256 PS256 ES256"$/);
    const token = await world.issuer.sign(good(name, { iss: strict, cnf: { jkt: key.thumbprint } }));
    expect((await present(await key.prove(token, url), 'DPoP', token)).status).toBe(200);
    const { json } = await send(`${world.service.origin}/.well-known/oauth-protected-resource${world.path}`, {});
    expect(json.dpop_signing_alg_values_supported).toEqual(['RS256', 'PS256', 'ES256']);
    expect(json).not.toHaveProperty('dpop_bound_access_tokens_required');
  });
});
