import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/platform/config/version.js';
import { traceIdOfRequest } from '../../src/kernel/ids.js';
import type { DispatchParts } from '../../src/surfaces/mcp/fast-dispatch.js';
import { FastDispatch } from '../../src/surfaces/mcp/fast-dispatch.js';
import type { DispatchedRequest, McpDispatch } from '../../src/surfaces/mcp/mcp-dispatch.js';
import type { McpReply } from '../../src/surfaces/mcp/mcp-endpoint.js';
import { McpEndpoint } from '../../src/surfaces/mcp/mcp-endpoint.js';
import { DISPATCH_PARTS } from '../../src/surfaces/mcp/mcp.module.js';
import { ResultWriter } from '../../src/surfaces/mcp/result-writer.js';
import { SdkDispatch } from '../../src/surfaces/mcp/sdk-dispatch.js';
import { NOTHING_REVOKED } from '../../src/kernel/ports/revocations.js';
import { SdkSubscriptions } from '../../src/surfaces/mcp/sdk-subscriptions.js';
import { MCP_CLIENTS } from '../support/mcp-clients.js';
import { MODERN, modernMeta } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const NOW = Date.UTC(2026, 10, 30, 12);
const INFO = { name: 'forecourt', title: 'Forecourt', version: VERSION };
const RUNS = 300;
/** The same requests every time, unless others are asked for: what a search finds is for a person to judge, not for a release. */
const SEEDED =
  process.env['PROPERTY_SEED'] === 'random' ? {} : { seed: Number(process.env['PROPERTY_SEED'] ?? 20_261_130) };

let service: TestService;
let parts: DispatchParts;
let ours: McpEndpoint;
let theirs: McpEndpoint;
let sdk: SdkDispatch;
const clock = { now: () => NOW };

beforeAll(async () => {
  service = await startTestService({ clock, demo: true });
  parts = service.parts.get<DispatchParts>(DISPATCH_PARTS);
  const writer = new ResultWriter({ name: INFO.name, version: INFO.version });
  const subscriptions = new SdkSubscriptions(parts.offered, INFO, clock, NOTHING_REVOKED);
  const endpoint = (dispatch: McpDispatch): McpEndpoint => new McpEndpoint(dispatch, writer, clock, subscriptions);
  ours = endpoint(new FastDispatch(parts, writer));
  sdk = new SdkDispatch(parts, INFO);
  theirs = endpoint(sdk);
});
afterAll(async () => {
  await sdk.close();
  await service.stop();
});

interface Sent {
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

let counter = 0;
const newRequestId = (): string => `req_${String(++counter).padStart(26, '0')}`;

const post = (endpoint: McpEndpoint, { body, headers }: Sent): Promise<McpReply> => {
  const requestId = newRequestId();
  return endpoint.answer({
    body,
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    caller: { kind: 'anonymous', network: '192.0.2.1' },
    organizationId: service.organizationId,
    names: 'dotted',
    requestId,
    traceId: traceIdOfRequest(requestId),
    newRequestId,
    linked: () => undefined,
    rated: () => undefined,
    closed: () => new AbortController().signal,
  });
};

/** What differs between any two answers, and nothing else, is made equal. */
function comparable(reply: McpReply): unknown {
  const text = (reply.body?.toString('utf8') ?? '')
    .replaceAll(/err_[0-9A-Z]{26}/g, 'err')
    .replaceAll(/trc_[0-9A-Z]{26}/g, 'trc')
    .replaceAll(/next_cursor(\\?)":\\?"[^"\\]+/g, 'next_cursor$1":$1"c');
  const retry = reply.headers?.['retry-after'];
  return { status: reply.status, retry, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

type Answer = {
  error?: { code: number; message?: string; data?: unknown };
  result?: Record<string, unknown>;
  id?: unknown;
};

/**
 * The closed list of intended differences (decision record 0027). Each takes away what differs, on both sides alike; what is
 * left must be equal.
 */
const INTENDED: readonly { readonly name: string; readonly forgive: (sent: Sent, answer: Answer) => void }[] = [
  {
    name: 'the wording of JSON-RPC errors that carry no data of DAP',
    forgive: (_, { error }) => {
      if (error !== undefined && (error.data as { code?: string } | undefined)?.code === undefined) {
        delete error.message;
        delete error.data;
      }
    },
  },
  {
    name: 'resource not found is -32002 in the older era, as its revisions say; the SDK sends -32602 in both',
    forgive: (_, { error }) => {
      if (error?.code === -32002) error.code = -32602;
    },
  },
  {
    name: 'server/discover names all revisions; the SDK names its modern ones',
    forgive: ({ body }, { result }) => {
      if (body['method'] === 'server/discover' && result !== undefined) {
        delete result['supportedVersions'];
        delete result['ttlMs'];
        delete result['cacheScope'];
      }
    },
  },
  {
    name: 'the SDK checks parameters that we do not read, and answers -32602 or -32603 where we answer or find another fault',
    forgive: ({ body }, answer) => {
      if (!hasOddParameters(body)) return;
      delete answer.result;
      delete answer.error;
    },
  },
];

/** Parameters outside MCP's own schema of the method: of a type that it does not allow there. */
function hasOddParameters(body: Record<string, unknown>): boolean {
  const params = (body['params'] ?? {}) as Record<string, unknown>;
  const { cursor, name, arguments: input, uri, protocolVersion } = params;
  const odd = (value: unknown, type: string): boolean => value !== undefined && typeof value !== type;
  switch (body['method']) {
    case 'initialize':
      return typeof protocolVersion !== 'string' || params['clientInfo'] === undefined;
    case 'tools/call':
      return (
        typeof name !== 'string' ||
        (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
      );
    case 'resources/read':
      return typeof uri !== 'string';
    default:
      return odd(cursor, 'string');
  }
}

async function compare(sent: Sent): Promise<void> {
  const [a, b] = [comparable(await post(ours, sent)), comparable(await post(theirs, sent))] as {
    status: number;
    body?: Answer;
  }[];
  for (const { forgive } of INTENDED) for (const side of [a, b]) if (side?.body !== undefined) forgive(sent, side.body);
  expect({ sent, ...b }).toEqual({ sent, ...a });
}

const id = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(0, -1, '', '0', 'é"\\', Number.MAX_SAFE_INTEGER),
);
const json = fc.jsonValue({ maxDepth: 2 });
const identifier = fc.constantFrom(
  'org.harbor-auto-group',
  'roof.downtown',
  'roof.nowhere',
  'org.other',
  '',
  'é',
  '212-555-1234',
);
const argumentsOf = fc.oneof(
  fc.record({ organization_id: fc.constant('org.harbor-auto-group') }),
  fc.record(
    {
      organization_id: fc.constant('org.harbor-auto-group'),
      query: fc.constantFrom('honda', 'toyota 2020', 'zzz', '', 'call 212-555-1234'),
      page: fc.record({ limit: fc.integer({ min: -1, max: 7 }) }),
      filters: fc.record({ condition: fc.constantFrom(['used'], ['new'], ['odd'], 7) }),
      rooftop_id: identifier,
      rooftop_ids: fc.array(identifier, { maxLength: 3 }),
      vin: fc.constantFrom('1HGCM82633A004352', 'short'),
      vehicle_id: identifier,
    },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.string({ maxLength: 8 }), json, { maxKeys: 3 }),
);
const tool = fc.constantFrom(
  'dealeragent.discovery.get_manifest',
  'dealeragent.dealer.get',
  'dealeragent.inventory.search',
  'dealeragent.inventory.get_vehicle',
  'dealeragent.inventory.get_used_vehicle_details',
  'dealeragent.pricing.get_disclosure',
  'dealeragent.inventory.verify_availability',
  'dealeragent_inventory_search',
  'dealeragent.inventory.sell',
  'é',
  '',
);
const uri = fc.constantFrom(
  'dealeragent://manifest',
  'dealeragent://organization/org.harbor-auto-group',
  'dealeragent://organization/org.harbor-auto-group/rooftop/roof.downtown',
  'dealeragent://organization/org.harbor-auto-group/rooftop/roof.nowhere',
  'dealeragent://organization/org.other',
  'dealeragent://organization/org.harbor-auto-group/rooftop/roof.downtown/vehicle/veh.nowhere',
  'dealeragent://organization',
  'https://example.com/',
  'no uri',
);
const call = fc.oneof(
  { weight: 5, arbitrary: fc.record({ method: fc.constant('tools/call'), params: fc.record({ name: tool, arguments: argumentsOf }) }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constant('tools/call'), params: fc.record({ name: fc.oneof(tool, json), arguments: json }, { requiredKeys: [] }) }) },
  { weight: 2, arbitrary: fc.record({ method: fc.constant('resources/read'), params: fc.record({ uri }) }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constantFrom('tools/list', 'resources/list', 'resources/templates/list'), params: fc.oneof(fc.constant({}), fc.record({ cursor: fc.oneof(fc.string(), json) })) }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constantFrom('server/discover', 'ping', 'initialize', 'prompts/list', 'completion/complete', 'logging/setLevel', 'resources/subscribe', 'tools/sell', 'tasks/get', ''), params: fc.constant({}) }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constant('initialize'), params: fc.record({ protocolVersion: fc.constantFrom('2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2026-07-28', 'x'), capabilities: fc.constant({}), clientInfo: fc.constant({ name: 'x', version: '1' }) }) }) },
); // prettier-ignore

const meta = fc.oneof(
  { weight: 6, arbitrary: fc.constant(modernMeta()) },
  { weight: 1, arbitrary: fc.constantFrom({}, modernMeta('2031-01-01'), modernMeta('2025-11-25'), { ...modernMeta(), progressToken: 1 }, { ...modernMeta(), 'io.modelcontextprotocol/clientCapabilities': [] }) },
); // prettier-ignore

/** Headers that equal the body, except where `spoil` names one. */
function modernSent(body: Record<string, unknown>, spoil: string, wrong: string | undefined): Sent {
  const { method, params } = body as { method: string; params: Record<string, unknown> };
  const version = (params['_meta'] as Record<string, unknown>)['io.modelcontextprotocol/protocolVersion'];
  const name = method === 'resources/read' ? params['uri'] : method === 'tools/call' ? params['name'] : undefined;
  const named = typeof name === 'string' ? `=?base64?${Buffer.from(name).toString('base64')}?=` : undefined;
  const headers: Record<string, string | undefined> = {
    'mcp-protocol-version': typeof version === 'string' ? version : MODERN,
    'mcp-method': method,
    'mcp-name': named,
    ...(spoil === '' ? {} : { [spoil]: wrong }),
  };
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { body, headers: Object.fromEntries(kept) };
}

describe('Both dispatches', () => {
  it('answer alike in the older era', async () => {
    const revision = fc.constantFrom(undefined, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '1999-01-01');
    await fc.assert(
      fc.asyncProperty(id, call, revision, async (requestId, { method, params }, version) => {
        const body = { jsonrpc: '2.0', id: requestId, method, params };
        await compare({ body, headers: version === undefined ? {} : { 'mcp-protocol-version': version } });
      }),
      { numRuns: RUNS, ...SEEDED },
    );
  });

  it('answer alike in the modern era', async () => {
    const spoil = fc.constantFrom('', '', '', '', 'mcp-method', 'mcp-name', 'mcp-protocol-version');
    const wrong = fc.constantFrom(undefined, 'x', '2025-11-25');
    await fc.assert(
      fc.asyncProperty(id, call, meta, spoil, wrong, async (requestId, { method, params }, _meta, spoilt, value) => {
        const body = { jsonrpc: '2.0', id: requestId, method, params: { ...params, _meta } };
        await compare(modernSent(body, spoilt, value));
      }),
      { numRuns: RUNS, ...SEEDED },
    );
  });

  it('find the same fault in headers and `_meta`, each by its own reading', async () => {
    const spoil = fc.constantFrom('', 'mcp-method', 'mcp-name', 'mcp-protocol-version');
    const wrong = fc.constantFrom(undefined, 'x', '2025-11-25', '=?base64?eA==?=', '=?base64?%%?=');
    await fc.assert(
      fc.asyncProperty(call, meta, spoil, wrong, async ({ method, params }, _meta, spoilt, value) => {
        // A modern header on a body that claims nothing: we miss the claim (-32602); for `initialize` the SDK sees a mismatch.
        fc.pre(method !== '' && method !== 'initialize' && !hasOddParameters({ method, params }));
        // A name header on a method that we do not know is nobody's name to us; the SDK knows more methods with names.
        fc.pre(spoilt !== 'mcp-name' || method === 'tools/call' || method === 'resources/read');
        // One fault at a time: of two, each side names the one that it looks for first.
        fc.pre(spoilt === '' || JSON.stringify(_meta) === JSON.stringify(modernMeta()));
        const sent = modernSent({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, spoilt, value);
        const { status, body } = comparable(await post(ours, sent)) as { status: number; body?: Answer };
        const response = await sdk.exchange({ dispatched: dispatchedAs(sent) }, new Headers(withTypes(sent.headers)));
        const their = (await response.json()) as Answer;
        const found = { status: response.status, code: their.error?.code };
        expect({ sent, ...found }).toEqual({ sent, status, code: body?.error?.code });
      }),
      { numRuns: RUNS, ...SEEDED },
    );
  });
});

describe('A service whose requests the SDK answers', () => {
  it.each(MCP_CLIENTS)('serves the official $client', async (official) => {
    const other = await startTestService({ demo: false, env: { MCP_DISPATCH: 'sdk' } });
    try {
      const client = await official.open(`${other.origin}/mcp`);
      expect((await client.tools()).map(({ name }) => name)).toContain('dealeragent.dealer.get');
      const answer = await client.call('dealeragent.dealer.get', {});
      expect(answer.structured).toMatchObject({ organization_id: other.organizationId });
      const refused = await client.call('dealeragent.dealer.get', { organization_id: 'org.other' });
      expect(refused).toMatchObject({ isError: true, structured: { code: 'dealeragent.resource.not_found' } });
      await client.close();
    } finally {
      await other.stop();
    }
  });
});

const withTypes = (headers: Record<string, string>): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  ...headers,
});

/** A request as it would come to the SDK without our checks. */
function dispatchedAs({ body }: Sent): DispatchedRequest {
  const requestId = newRequestId();
  return {
    request: body as unknown as DispatchedRequest['request'],
    era: 'modern',
    revision: MODERN,
    names: 'dotted',
    caller: { kind: 'anonymous', network: '192.0.2.1' },
    organizationId: service.organizationId,
    requestId,
    traceId: traceIdOfRequest(requestId),
    rated: () => undefined,
    closed: () => new AbortController().signal,
  };
}
