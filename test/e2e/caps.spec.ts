import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS, type LimitName } from '../../src/kernel/limits.js';
import { PAGE_MAX } from '../../src/platform/http/page-query.js';
import { freshKey } from '../support/admin-client.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, legacy, post, send } from '../support/mcp-http.js';
import { exchange } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const SEARCH = 'dealeragent.inventory.search';
let service: TestService;
let staff: string;
beforeAll(async () => {
  service = await startTestService({ demo: false, env: { REQUEST_BODY_TIMEOUT_MS: '300' } });
  staff = `Bearer ${await service.adminToken()}`;
});
afterAll(() => service.stop());

const toMcp = (body: unknown): Promise<WireAnswer> => post(`${service.origin}/mcp`, body);
const search = (args: object): Promise<WireAnswer> =>
  callTool(`${service.origin}/mcp`, SEARCH, { organization_id: service.organizationId, ...args });
const list = (query: string): Promise<WireAnswer> =>
  send(`${service.origin}/admin/v1/feeds?${query}`, { headers: { authorization: staff } });
const grant = (changes: object): Promise<WireAnswer> =>
  post(
    `${service.origin}/admin/v1/grants`,
    {
      subject: 'agent:caps',
      rooftop_ids: ['roof.downtown'],
      profiles: ['dealeragent.inventory.read/0.1'],
      scopes: ['dealeragent:inventory:read'],
      purposes: ['vehicle_shopping'],
      expires_at: '2099-01-01T00:00:00Z',
      ...changes,
    },
    { authorization: staff, ...freshKey() },
  );
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `roof.n${i}`);
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** An answer of a tool that refuses its arguments, naming the place. */
const refusesArgument = (at: string) => ({
  status: 200,
  isError: true,
  code: 'dealeragent.validation.invalid',
  at,
});
const overMcp = ({ status, json }: WireAnswer): object => ({
  status,
  isError: json.result?.isError,
  code: json.result?.structuredContent?.code,
  at: json.result?.structuredContent?.details?.field_errors?.[0]?.instance_location,
});
/** A refusal by the protocol itself. */
const overRpc = ({ status, json }: WireAnswer): object => ({ status, code: json.error?.code });
const overAdmin = ({ status, json }: WireAnswer): object => ({
  status,
  code: json.error?.code,
  at: json.error?.details?.violations?.[0]?.pointer,
  keyword: json.error?.details?.violations?.[0]?.keyword,
});

const { rooftopIdsPerRequest, filterValues, searchPageMax, requestBodyBytes, jsonDepth, searchTokens } = LIMITS;

interface Cap {
  readonly what: string;
  /** The row of the limits reference that it is; none where the protocol gives the number. */
  readonly limit?: LimitName;
  readonly max: number;
  readonly ask: (size: number) => Promise<WireAnswer>;
  readonly seen: (answer: WireAnswer) => object;
  readonly refusal: object;
}

const CAPS: readonly Cap[] = [
  {
    what: 'rooftops of a search',
    limit: 'rooftopIdsPerRequest',
    max: rooftopIdsPerRequest.value,
    ask: (n) => search({ rooftop_ids: names(n) }),
    seen: overMcp,
    refusal: refusesArgument('/rooftop_ids'),
  },
  {
    what: 'values of a filter',
    limit: 'filterValues',
    max: filterValues.value,
    ask: (n) => search({ filters: { make: names(n) } }),
    seen: overMcp,
    refusal: refusesArgument('/filters/make'),
  },
  {
    what: 'vehicles of a page',
    limit: 'searchPageMax',
    max: searchPageMax.value,
    ask: (n) => search({ page: { limit: n } }),
    seen: overMcp,
    refusal: refusesArgument('/page/limit'),
  },
  {
    what: 'words of a query',
    limit: 'searchTokens',
    max: searchTokens.value,
    ask: (n) => search({ query: Array.from({ length: n }, (_, i) => `w${i}`).join(' ') }),
    seen: overMcp,
    refusal: refusesArgument('/query'),
  },
  {
    what: 'characters of a query',
    max: 500,
    ask: (n) => search({ query: 'a'.repeat(n) }),
    seen: overMcp,
    refusal: refusesArgument('/query'),
  },
  {
    what: 'bytes of a body over MCP',
    limit: 'requestBodyBytes',
    max: requestBodyBytes.value,
    ask: (n) => toMcp(JSON.stringify(legacy('ping')).padEnd(n)),
    seen: overRpc,
    refusal: { status: 413, code: -32600 },
  },
  {
    what: 'levels of a body over MCP',
    limit: 'jsonDepth',
    max: jsonDepth.value,
    ask: (n) => toMcp(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(n - 1)}}`),
    seen: overRpc,
    refusal: { status: 400, code: -32600 },
  },
  {
    what: 'characters of a method',
    max: 128,
    ask: (n) => toMcp(legacy('m'.repeat(n))),
    seen: overRpc,
    refusal: { status: 400, code: -32600 },
  },
  {
    what: 'characters of a request id',
    max: 256,
    ask: (n) => toMcp(legacy('ping', {}, 'i'.repeat(n))),
    seen: overRpc,
    refusal: { status: 400, code: -32600 },
  },
  {
    what: 'messages of a batch',
    max: 20,
    ask: (n) => toMcp(Array.from({ length: n }, (_, id) => legacy('ping', {}, id))),
    seen: overRpc,
    refusal: { status: 400, code: -32600 },
  },
  {
    what: 'bytes of a body over the admin API',
    limit: 'requestBodyBytes',
    max: requestBodyBytes.value,
    ask: (n) => post(`${service.origin}/admin/v1/grants`, '{}'.padEnd(n), { authorization: staff, ...freshKey() }),
    seen: overAdmin,
    refusal: { status: 413, code: 'body_too_large', at: undefined },
  },
  {
    what: 'levels of a body over the admin API',
    limit: 'jsonDepth',
    max: jsonDepth.value,
    ask: (n) => post(`${service.origin}/admin/v1/grants`, nested(n), { authorization: staff, ...freshKey() }),
    seen: overAdmin,
    refusal: { status: 400, code: 'invalid_request', at: undefined },
  },
  {
    what: 'rooftops of a grant',
    limit: 'rooftopIdsPerRequest',
    max: rooftopIdsPerRequest.value,
    ask: (n) => grant({ rooftop_ids: names(n) }),
    seen: overAdmin,
    refusal: { status: 400, code: 'invalid_input', at: '/rooftop_ids', keyword: 'maxItems' },
  },
  {
    what: 'profiles of a grant',
    max: 20,
    ask: (n) => grant({ profiles: Array.from({ length: n }, (_, i) => `dealeragent.inventory.read/0.${i}`) }),
    seen: overAdmin,
    refusal: { status: 400, code: 'invalid_input', at: '/profiles', keyword: 'maxItems' },
  },
  {
    what: 'entries of an admin page',
    max: PAGE_MAX,
    ask: (n) => list(`limit=${n}`),
    seen: overAdmin,
    refusal: { status: 400, code: 'invalid_input', at: '/limit', keyword: 'maximum' },
  },
];

describe('What is too much', () => {
  it.each(CAPS)(
    'of $what is refused and says so; as much as is allowed is not',
    async ({ max, ask, seen, refusal }) => {
      expect(seen(await ask(max + 1))).toEqual(refusal);
      expect(seen(await ask(max))).not.toEqual(refusal);
    },
  );

  it('is checked for every limit of requests that the reference names', () => {
    const asked = new Set(CAPS.map(({ limit }) => limit));
    const ofRequests = (Object.keys(LIMITS) as LimitName[]).filter((name) =>
      /^(request|json|rooftopIds|filterV|searchPageMax|searchTokens)/.test(name),
    );
    expect(ofRequests.filter((name) => !asked.has(name))).toEqual([]);
  });

  it('of time for a body ends it with 408 and the connection, on every surface', async () => {
    for (const path of ['/mcp', '/admin/v1/grants', '/nowhere']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.settings.PORT}\r\nContent-Type: application/json\r\n`;
      const answer = await exchange(service.settings.PORT, [`${head}Content-Length: 100\r\n\r\n{"a":`], 10_000);
      expect({ path, status: answer.status, closed: answer.closed }).toEqual({ path, status: 408, closed: true });
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'invalid_request' } });
    }
  });

  it('of headers is refused', async () => {
    const big = `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${service.settings.PORT}\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`;
    expect((await exchange(service.settings.PORT, [big])).status).toBe(431);
  });
});
