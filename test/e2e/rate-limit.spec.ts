import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/limits.js';
import { AuditTrail } from '../support/audit-trail.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, legacy, modern, modernHeaders, post, postModern, send } from '../support/mcp-http.js';
import { createKey } from '../support/admin-client.js';
import { letAgentIn } from '../support/agents.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const DEALER = 'dealeragent.dealer.get';
const THREE = { ANONYMOUS_CALLS_PER_MINUTE: '3' };

/** One tool call as from an address that a proxy reports. */
const callFrom = (service: TestService, forwarded: string): Promise<WireAnswer> =>
  callTool(`${service.origin}/mcp`, DEALER, {}, { 'x-forwarded-for': forwarded });
const isLimited = (answer: WireAnswer): boolean =>
  answer.json.result.structuredContent.code === 'dealeragent.rate_limited';

describe('Three calls a minute', () => {
  let service: TestService;
  let trail: AuditTrail;
  beforeAll(async () => {
    service = await startTestService({ demo: false, env: THREE });
    trail = await AuditTrail.open(service.database);
  });
  afterAll(async () => {
    await trail.close();
    await service.stop();
  });

  it('are answered; the fourth is told when to come back, in the result and in HTTP, whoever it claims to be', async () => {
    for (let i = 0; i < 3; i++) {
      const answer = await callFrom(service, `203.0.113.${i}`);
      expect({ limited: isLimited(answer), left: answer.headers.get('ratelimit') }).toEqual({
        limited: false,
        left: expect.stringMatching(new RegExp(`^"network";r=${2 - i};t=\\d+$`)) as string,
      });
    }
    const refused = await callFrom(service, '198.51.100.7');
    expect(refused.status).toBe(200);
    const { isError, structuredContent: error } = refused.json.result;
    expect({ isError, code: error.code, retryable: error.retryable }).toEqual({
      isError: true,
      code: 'dealeragent.rate_limited',
      retryable: true,
    });
    expect(error.retry_after_ms).toBeGreaterThan(0);
    expect(error.retry_after_ms).toBeLessThanOrEqual(65_000); // the window and the part of it that is counted as one
    expect(refused.headers.get('retry-after')).toBe(String(Math.ceil(error.retry_after_ms / 1000)));
    expect(refused.headers.get('ratelimit-policy')).toBe('"network";q=3;w=60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"network";r=0;t=\d+$/);
    const rows = await trail.ofEvent(refused.headers.get('x-request-id'));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      operation: DEALER,
      decision: 'deny',
      outcome: 'denied',
      failure_code: 'limit.rate_exceeded',
    });
  });

  it('do not count what carries no data: lists, discovery and probes go on', async () => {
    const url = `${service.origin}/mcp`;
    expect((await post(url, legacy('tools/list'))).json.result.tools).not.toHaveLength(0);
    expect((await postModern(url, 'server/discover')).status).toBe(200);
    expect((await send(`${service.origin}/health/ready`, {})).status).toBe(200);
  });

  it('count for the manifest resource, too', async () => {
    const answer = await postModern(`${service.origin}/mcp`, 'resources/read', { uri: 'dealeragent://manifest' });
    expect(answer.json.error.data).toMatchObject({ code: 'dealeragent.rate_limited', retryable: true });
  });
});

describe('Behind a trusted proxy', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ demo: false, env: { ...THREE, TRUSTED_PROXIES: '127.0.0.1/32,10.0.0.0/8' } });
  });
  afterAll(() => service.stop());

  const spend = async (from: string): Promise<void> => {
    for (let i = 0; i < 3; i++) expect(isLimited(await callFrom(service, from))).toBe(false);
  };

  it('each reported address has its own three calls', async () => {
    await spend('203.0.113.1');
    expect(isLimited(await callFrom(service, '203.0.113.1'))).toBe(true);
    expect(isLimited(await callFrom(service, '203.0.113.2'))).toBe(false);
  });

  it('nobody escapes by writing addresses in front of his own', async () => {
    await spend('203.0.113.10');
    for (const spoofed of ['1.2.3.4, 203.0.113.10', '203.0.113.99, 203.0.113.10', '203.0.113.10, 10.9.8.7']) {
      expect({ spoofed, limited: isLimited(await callFrom(service, spoofed)) }).toEqual({ spoofed, limited: true });
    }
  });

  it('the addresses of one IPv6 network share their three calls', async () => {
    await spend('2001:db8:1:2::1');
    expect(isLimited(await callFrom(service, '2001:db8:1:2:ffff::9'))).toBe(true);
    expect(isLimited(await callFrom(service, '2001:DB8:0001:3::1'))).toBe(false);
  });

  it('an IPv4 address written as IPv6 is the same address', async () => {
    await spend('203.0.113.20');
    expect(isLimited(await callFrom(service, '::ffff:203.0.113.20'))).toBe(true);
  });

  it('each message of a batch counts', async () => {
    const batch = Array.from({ length: 5 }, (_, id) => legacy('tools/call', { name: DEALER, arguments: {} }, id));
    const { status, json } = await post(`${service.origin}/mcp`, batch, { 'x-forwarded-for': '203.0.113.30' });
    const answers = json as { result: { isError: boolean } }[];
    expect(status).toBe(200);
    expect(answers.map(({ result }) => result.isError)).toEqual([false, false, false, true, true]);
  });
});

describe('A rooftop', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      demo: false,
      env: { ROOFTOP_CALLS_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' },
    });
  });
  afterAll(() => service.stop());

  const search = async (rooftops: readonly string[], from: number, bearer?: string): Promise<WireAnswer> =>
    callTool(
      `${service.origin}/mcp`,
      'dealeragent.inventory.search',
      rooftops.length === 0 ? {} : { rooftop_ids: rooftops },
      { 'x-forwarded-for': `203.0.113.${from}`, ...(bearer === undefined ? {} : { authorization: bearer }) },
    );
  const limited = async (...args: Parameters<typeof search>): Promise<boolean> => isLimited(await search(...args));
  const many = Array.from({ length: 300 }, (_, i) => `roof.of-many-${i}`);

  it('is asked about no more often than its allowance, by all networks together, whether it exists or not', async () => {
    for (const rooftop of ['roof.downtown', 'roof.nowhere']) {
      for (let i = 0; i < 3; i++) expect(await limited([rooftop], i)).toBe(false);
      const refused = await search([rooftop], 99);
      expect(isLimited(refused)).toBe(true);
      expect(refused.headers.get('ratelimit')).toMatch(/^"network";r=\d+;t=\d+, "rooftop";r=0;t=\d+$/);
    }
  });

  it('leaves agents the allowance of their own, however much the public asks', async () => {
    expect(await limited(['roof.downtown'], 50)).toBe(true);
    const { bearer } = await letAgentIn(service);
    expect(await limited(['roof.downtown'], 50, bearer)).toBe(false);
  });

  it('costs one call of the group’s allowance where a call is about the whole group, and nothing of its own', async () => {
    for (const rooftops of [[], many, []]) expect(await limited(rooftops, 60)).toBe(false);
    expect(await limited([], 61)).toBe(true);
    expect(await limited(many, 61)).toBe(true);
    expect(await limited([many[0] ?? ''], 61)).toBe(false);
  });

  it('is not counted when its caller has nothing left', async () => {
    const own = await startTestService({
      demo: false,
      env: { ...THREE, ROOFTOP_CALLS_PER_MINUTE: '4', TRUSTED_PROXIES: '127.0.0.1' },
    });
    try {
      const ask = async (from: string): Promise<boolean> =>
        isLimited(
          await callTool(
            `${own.origin}/mcp`,
            'dealeragent.inventory.search',
            { rooftop_ids: ['roof.downtown'] },
            { 'x-forwarded-for': from },
          ),
        );
      for (let i = 0; i < 10; i++) expect(await ask('203.0.113.1')).toBe(i >= 3);
      expect(await ask('203.0.113.2')).toBe(false);
      expect(await ask('203.0.113.2')).toBe(true);
    } finally {
      await own.stop();
    }
  });
});

describe('An admin call', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      demo: false,
      env: { ADMIN_CALLS_PER_MINUTE: '8', ADMIN_KEY_CALLS_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' },
    });
  });
  afterAll(() => service.stop());

  const list = (token: string, from: string): Promise<WireAnswer> =>
    send(`${service.origin}/admin/v1/feeds`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': from },
    });

  it('counts for its key in all networks, and for its network with all keys, and says so', async () => {
    const token = await service.adminToken();
    const first = await list(token, '203.0.113.1');
    expect({ status: first.status, policy: first.headers.get('ratelimit-policy') }).toEqual({
      status: 200,
      policy: '"admin";q=8;w=60, "key";q=3;w=60',
    });
    expect(first.headers.get('ratelimit')).toMatch(/^"admin";r=7;t=\d+, "key";r=2;t=\d+$/);
    await list(token, '203.0.113.2');
    await list(token, '203.0.113.3');
    const refused = await list(token, '203.0.113.4');
    expect(refused.status).toBe(429);
    expect(refused.json.error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(refused.headers.get('retry-after')).toBe(String(Math.ceil(refused.json.error.retry_after_ms / 1000)));
    const another = await createKey(service, service.organizationId, 'admin');
    expect((await list(another, '203.0.113.4')).status).toBe(200);
  });

  it('is refused before its credential is looked at once its network has none left', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push((await list('none', '203.0.113.9')).status);
    expect(statuses).toEqual([...Array<number>(8).fill(401), 429, 429]);
  });
});

describe('An agent', () => {
  let service: TestService;
  beforeAll(async () => {
    const env = { ANONYMOUS_CALLS_PER_MINUTE: '100000', AGENT_CALLS_PER_MINUTE: '3' };
    service = await startTestService({ demo: false, env });
  });
  afterAll(() => service.stop());

  it('has one allowance for its subject, whatever key it comes with, and takes nobody else’s', async () => {
    const [one, another, stranger] = [
      await letAgentIn(service),
      await letAgentIn(service),
      await letAgentIn(service, { subject: 'agent:stranger' }),
    ];
    const isLimitedFor = async (headers: Record<string, string>): Promise<boolean> =>
      isLimited(await callTool(`${service.origin}/mcp`, DEALER, {}, headers));
    for (const { bearer } of [one, another, one]) expect(await isLimitedFor({ authorization: bearer })).toBe(false);
    expect(await isLimitedFor({ authorization: another.bearer })).toBe(true);
    expect(await isLimitedFor({ authorization: stranger.bearer })).toBe(false);
    expect(await isLimitedFor({})).toBe(false);
  });

  it('has one allowance for each key, within that of its subject, and is told of both', async () => {
    const own = await startTestService({
      demo: false,
      env: { AGENT_CALLS_PER_MINUTE: '5', AGENT_KEY_CALLS_PER_MINUTE: '2' },
    });
    try {
      const [one, another] = [await letAgentIn(own), await letAgentIn(own)];
      const call = ({ bearer }: { bearer: string }): Promise<WireAnswer> =>
        callTool(`${own.origin}/mcp`, DEALER, {}, { authorization: bearer });
      const first = await call(one);
      expect(first.headers.get('ratelimit-policy')).toBe('"subject";q=5;w=60, "key";q=2;w=60');
      expect(isLimited(await call(one))).toBe(false);
      expect(isLimited(await call(one))).toBe(true);
      expect(isLimited(await call(another))).toBe(false);
    } finally {
      await own.stop();
    }
  });
});

describe('A network that subscribes', () => {
  const MOST = LIMITS.subscriptionsOfCaller.value;
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ demo: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  });
  afterAll(() => service.stop());

  const listen = (from: string, hangUp: AbortSignal, bearer?: string): Promise<Response> =>
    fetch(`${service.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': from,
        ...modernHeaders('subscriptions/listen'),
        ...(bearer === undefined ? {} : { authorization: bearer }),
      },
      body: JSON.stringify(modern('subscriptions/listen', { notifications: { toolsListChanged: true } })),
      signal: hangUp,
    });

  it('holds so many streams and no more, until one of them closes; agents are counted by themselves', async () => {
    const connections = Array.from({ length: MOST }, () => new AbortController());
    const rest = new AbortController();
    for (const connection of connections)
      expect((await listen('203.0.113.1', connection.signal)).headers.get('content-type')).toBe('text/event-stream');
    const refused = await listen('203.0.113.1', rest.signal);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ error: { data: { code: 'dealeragent.rate_limited' } } });
    const { bearer } = await letAgentIn(service);
    expect((await listen('203.0.113.1', rest.signal, bearer)).status).toBe(200);
    expect((await listen('203.0.113.2', rest.signal)).status).toBe(200);
    connections[0]?.abort();
    await expect.poll(async () => (await listen('203.0.113.1', rest.signal)).status, { timeout: 20_000 }).toBe(200);
    for (const connection of [...connections, rest]) connection.abort();
  });
});
