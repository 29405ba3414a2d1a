import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeIssuer, type IssuerKey, newIssuerKey } from '../support/fake-issuer.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { registerClient, trustIssuer } from '../support/agent-clients.js';
import { nowSeconds, settled, TokenWorld } from '../support/token-world.js';

let stranger: FakeIssuer;
let world: TokenWorld;

beforeAll(async () => {
  stranger = await FakeIssuer.start();
  world = await TokenWorld.start({ hosts: [stranger.host] });
});
afterAll(async () => {
  await world.stop();
  stranger.stop();
});
beforeEach(() => {
  world.ahead = 0;
});

const sign: TokenWorld['sign'] = (...token) => world.sign(...token);
const list: TokenWorld['list'] = (...call) => world.list(...call);

async function expectRefused(answer: WireAnswer, reason: string): Promise<void> {
  expect([answer.status, await world.reasonOf(answer)], answer.text).toEqual([401, reason]);
}

describe('The keys of an issuer', () => {
  it('may be rotated: new ones count at once, withdrawn ones soon count no more', async () => {
    const [old] = world.issuer.keys as [IssuerKey];
    const next = await newIssuerKey();
    world.issuer.keys = [old, next];
    world.ahead = 11_000;
    expect((await list(await sign({}, {}, next))).status).toBe(200);
    world.issuer.keys = [next];
    const asked = world.issuer.asked.length;
    world.ahead = 23_000;
    expect((await list(await sign({}, {}, old))).status).toBe(200);
    expect(world.issuer.asked.length).toBe(asked);
    world.ahead = 700_000;
    const later = nowSeconds() + 700;
    await expectRefused(await list(await sign({ iat: later, exp: later + 300 }, {}, old)), 'token_key_unknown');
  });

  it('are not fetched for made-up names again and again, and count while the issuer is away', async () => {
    world.ahead = 800_000;
    const later = nowSeconds() + 800;
    const times = { iat: later, exp: later + 300 };
    expect((await list(await sign(times))).status).toBe(200);
    world.issuer.asked.length = 0;
    const made = await Promise.all(Array.from({ length: 20 }, () => newIssuerKey()));
    for (const key of made) await expectRefused(await list(await sign(times, {}, key)), 'token_key_unknown');
    expect(world.issuer.asked.length).toBeLessThanOrEqual(2);
    world.issuer.away = true;
    world.ahead = 3_600_000;
    const muchLater = nowSeconds() + 3600;
    const answer = await list(await sign({ iat: muchLater, exp: muchLater + 300 }));
    world.issuer.away = false;
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('An issuer that cannot be asked', () => {
  it('is said to be unavailable, is left alone, and opens nothing meanwhile', async () => {
    const away = await FakeIssuer.start();
    const exempt = world.service.settings.EGRESS_ALLOWED_HOSTS;
    expect(exempt).not.toContain(away.host);
    await trustIssuer(world.service, away.issuer);
    await settled();
    for (let i = 0; i < 3; i++) {
      const answer = await list(await away.sign(world.good()));
      expect([answer.status, answer.json.error.data.code]).toEqual([503, 'dealeragent.upstream.unavailable']);
      expect(await world.reasonOf(answer)).toBe('issuer_keys_unavailable');
    }
    expect(away.asked, 'the egress guard let nothing through').toEqual([]);
    away.stop();
  });

  it('counts only where its metadata names it', async () => {
    await trustIssuer(world.service, stranger.issuer);
    await registerClient(world.service, stranger.issuer, world.clientId, world.agent.grantId);
    await settled();
    stranger.metadata = { issuer: world.issuer.issuer, jwks_uri: `${stranger.issuer}/jwks` };
    expect((await list(await stranger.sign(world.good()))).status).toBe(503);
    stranger.metadata = { issuer: stranger.issuer, jwks_uri: `${stranger.issuer}/jwks` };
    world.ahead = 11_000;
    expect((await list(await stranger.sign(world.good()))).status).toBe(200);
  });
});
