import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { letAgentIn } from '../support/agents.js';
import { HAS_REDIS, startRedis, type TestRedis } from '../support/feed-redis.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, legacy, post, send } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const ENV = { BAD_CREDENTIALS_BEFORE_PAUSE: '4', MISSES_BEFORE_PAUSE: '4', TRUSTED_PROXIES: '127.0.0.1' };
/** Well formed as far as the edge reads; another key each time, unless it is the keys that are counted. */
let guesses = 0;
const fake = (id = `guess${guesses++}`): string => `Bearer fck_${id}_${'a'.repeat(38)}`;
const from = (network: number): Record<string, string> => ({ 'x-forwarded-for': `203.0.113.${network}` });

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ demo: false, env: ENV });
});
afterAll(() => service.stop());

const list = (network: number, authorization?: string, on = service): Promise<WireAnswer> =>
  post(`${on.origin}/mcp`, legacy('tools/list'), {
    ...from(network),
    ...(authorization === undefined ? {} : { authorization }),
  });
const admin = (network: number, authorization: string): Promise<WireAnswer> =>
  send(`${service.origin}/admin/v1/feeds`, { headers: { authorization, ...from(network) } });
const getVehicle = (network: number, vehicle: string, bearer?: string): Promise<WireAnswer> =>
  callTool(
    `${service.origin}/mcp`,
    'dealeragent.inventory.get_vehicle',
    { organization_id: service.organizationId, rooftop_id: 'roof.downtown', vehicle_id: vehicle },
    { ...from(network), ...(bearer === undefined ? {} : { authorization: bearer }) },
  );

describe('A network that guesses credentials', () => {
  it('is told to wait on every surface, in its words, before anything is looked at', async () => {
    for (let i = 0; i < 4; i++) expect((await (i % 2 === 0 ? list(1, fake()) : admin(1, fake()))).status).toBe(401);
    const overMcp = await list(1, fake());
    expect(overMcp.status).toBe(429);
    expect(overMcp.json.error.data).toMatchObject({ code: 'dealeragent.rate_limited', retryable: true });
    expect(overMcp.json.error.data.retry_after_ms).toBeGreaterThan(50_000);
    expect(Number(overMcp.headers.get('retry-after'))).toBe(Math.ceil(overMcp.json.error.data.retry_after_ms / 1000));
    const overAdmin = await admin(1, fake());
    expect(overAdmin.status).toBe(429);
    expect(overAdmin.json.error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect((await list(1)).status).toBe(200);
    expect((await list(2, fake())).status).toBe(401);
  });

  it('learns nothing: a good credential that it never used is refused with the same words', async () => {
    const { bearer } = await letAgentIn(service);
    for (let i = 0; i < 4; i++) await list(3, fake());
    const words = ({ status, json }: WireAnswer): unknown => [status, json.error.message, json.error.data.code];
    expect(words(await list(3, bearer))).toEqual(words(await list(3, fake())));
    expect((await list(4, bearer)).status).toBe(200);
  });

  it('does not lock out those who were let in from there before', async () => {
    const { bearer } = await letAgentIn(service);
    const staff = `Bearer ${await service.adminToken()}`;
    expect([(await list(5, bearer)).status, (await admin(5, staff)).status]).toEqual([200, 200]);
    for (let i = 0; i < 6; i++) await list(5, fake());
    expect((await list(5, fake())).status).toBe(429);
    expect([(await list(5, bearer)).status, (await admin(5, staff)).status]).toEqual([200, 200]);
  });

  it('has one guess at a key that others are guessing, and the owner of that key is not locked out', async () => {
    for (let i = 0; i < 4; i++) expect((await list(50 + i, fake('victim'))).status).toBe(401);
    expect((await list(60, fake('victim'))).status).toBe(401);
    expect((await list(60, fake('victim'))).status).toBe(429);
    expect((await list(60, fake())).status).toBe(401);
  });

  it('cannot make a guess look proven by sending it where none is needed', async () => {
    for (let i = 0; i < 4; i++) await list(6, fake());
    const other = fake();
    await send(`${service.origin}/health/live`, { headers: { authorization: other, ...from(6) } });
    expect((await list(6, other)).status).toBe(429);
  });
});

describe('A caller that asks for what is not there', () => {
  it('waits after so many misses, for what is there as well; others do not', async () => {
    for (let i = 0; i < 4; i++) {
      const { json } = await getVehicle(11, `veh.none-${i}`);
      expect(json.result.structuredContent.code).toBe('dealeragent.resource.not_found');
    }
    const refused = await list(11);
    expect(refused.status).toBe(429);
    expect(refused.json.error.data).toMatchObject({ code: 'dealeragent.rate_limited' });
    expect((await list(12)).status).toBe(200);
    expect((await send(`${service.origin}/health/live`, { headers: from(11) })).status).toBe(200);
  });

  it('waits for guessed organizations on every path', async () => {
    for (let i = 0; i < 2; i++) {
      expect((await post(`${service.origin}/organizations/org.no-${i}/mcp`, legacy('ping'), from(13))).status).toBe(
        404,
      );
      await send(`${service.origin}/organizations/org.no-${i}/inventory.csv`, { headers: from(13) });
    }
    expect((await list(13)).status).toBe(429);
  });

  it('waits as an agent in the tool’s own words, in all its networks, and is recorded', async () => {
    const { bearer } = await letAgentIn(service, { subject: 'agent:prober' });
    const other = await letAgentIn(service, { subject: 'agent:decent' });
    for (let i = 0; i < 4; i++) await getVehicle(20 + i, 'veh.none', bearer);
    const refused = await getVehicle(30, 'veh.none', bearer);
    expect(refused.status).toBe(200);
    expect(refused.json.result).toMatchObject({
      isError: true,
      structuredContent: { code: 'dealeragent.rate_limited', retryable: true },
    });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const decent = await getVehicle(20, 'veh.none', other.bearer);
    expect(decent.json.result.structuredContent.code).toBe('dealeragent.resource.not_found');
  });
});

describe.skipIf(!HAS_REDIS)('Two processes with one Redis', () => {
  let redis: TestRedis;
  const both: TestService[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    for (let i = 0; i < 2; i++)
      both.push(await startTestService({ demo: false, env: { ...ENV, REDIS_URL: redis.url } }));
  });
  afterAll(async () => {
    for (const one of both) await one.stop();
    redis.stop();
  });

  it('add up the failures that each of them saw', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) {
      statuses.push((await list(40, fake(), both[i % 2])).status);
      await new Promise((done) => setTimeout(done, 300)); // counted beside the answer
    }
    // The second process pauses with the fourth failure, the first one with the next that it sees.
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  });
});
