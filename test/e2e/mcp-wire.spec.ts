import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, legacy, modern, modernHeaders, modernMeta, post, postModern, send } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const MANIFEST = 'dealeragent.discovery.get_manifest';
const SEARCH = 'dealeragent.inventory.search';
const SUPPORTED = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await startTestService({ demo: false });
  url = `${service.origin}/organizations/${service.organizationId}/mcp`;
});
afterAll(() => service.stop());

const listTools = modern('tools/list');
const callManifest = modern('tools/call', { name: MANIFEST, arguments: {} });
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const withMeta = (meta: object): object => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });

interface Row {
  readonly when: string;
  readonly body: unknown;
  readonly headers: Record<string, string | null>;
  readonly status: number;
  readonly code: number | undefined;
}
const row = (
  when: string,
  body: unknown,
  headers: Record<string, string | null>,
  status: number,
  code?: number,
): Row => ({
  when,
  body,
  headers,
  status,
  code,
});
const LIST = modernHeaders('tools/list');
const CALL = modernHeaders('tools/call', MANIFEST);
const header = (name: string, value: string | null, base = LIST): Record<string, string | null> => ({
  ...base,
  [name]: value,
});
const VERSION = 'mcp-protocol-version';

// Clause by clause: MCP 2026-07-28, transports, «failure table»; the older revisions where they differ.
const ROWS: readonly Row[] = [
  row('a modern request is complete', listTools, LIST, 200),
  row('the version header is missing', listTools, header(VERSION, null), 400, -32020),
  row('the version header is another one', listTools, header(VERSION, '2025-11-25'), 400, -32020),
  row('the method header is missing', listTools, header('mcp-method', null), 400, -32020),
  row('the method header is another one', listTools, header('mcp-method', 'tools/call'), 400, -32020),
  row('the method header differs in case', listTools, header('mcp-method', 'Tools/List'), 400, -32020),
  row('the name header is missing', callManifest, header('mcp-name', null, CALL), 400, -32020),
  row('the name header names another tool', callManifest, header('mcp-name', SEARCH, CALL), 400, -32020),
  row('the name header is encoded and equal', callManifest, header('mcp-name', base64(MANIFEST), CALL), 200),
  row('the name header is encoded and different', callManifest, header('mcp-name', base64(SEARCH), CALL), 400, -32020),
  row('the name header is encoded badly', callManifest, header('mcp-name', '=?base64?%%%?=', CALL), 400, -32020),
  row('a header name is written in capitals', callManifest, { ...CALL, 'MCP-NAME': MANIFEST, 'mcp-name': null }, 200),
  row('`_meta` is missing', { ...listTools, params: {} }, LIST, 400, -32602),
  row('`_meta` is a list', withMeta([]), LIST, 400, -32602),
  row(
    'the version is missing in `_meta`',
    withMeta({ 'io.modelcontextprotocol/clientCapabilities': {} }),
    LIST,
    400,
    -32602,
  ),
  row(
    'the version is no text',
    withMeta({ ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': 7 }),
    LIST,
    400,
    -32602,
  ),
  row(
    'the capabilities are missing',
    withMeta({ 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }),
    LIST,
    400,
    -32602,
  ),
  row(
    'the capabilities are a text',
    withMeta({ ...modernMeta(), 'io.modelcontextprotocol/clientCapabilities': '' }),
    LIST,
    400,
    -32602,
  ),
  row(
    'the capabilities are a list',
    withMeta({ ...modernMeta(), 'io.modelcontextprotocol/clientCapabilities': [] }),
    LIST,
    400,
    -32602,
  ),
  row('the version is not served', withMeta(modernMeta('2031-01-01')), header(VERSION, '2031-01-01'), 400, -32022),
  row(
    'an older version is claimed in `_meta`',
    withMeta(modernMeta('2025-11-25')),
    header(VERSION, '2025-11-25'),
    400,
    -32022,
  ),
  row('an unknown version is in the header alone', legacy('tools/list'), { [VERSION]: '1999-01-01' }, 400, -32022),
  row('the method is unknown', modern('tools/sell'), modernHeaders('tools/sell'), 404, -32601),
  row('the method is unknown in the older era', legacy('tools/sell'), {}, 200, -32601),
  row(
    'the tool is unknown',
    modern('tools/call', { name: 'x', arguments: {} }),
    modernHeaders('tools/call', 'x'),
    200,
    -32602,
  ),
  row('the tool is unknown in the older era', legacy('tools/call', { name: 'x' }), {}, 200, -32602),
  row('the tool has no name', legacy('tools/call', {}), {}, 200, -32602),
  row('the arguments are a list', legacy('tools/call', { name: MANIFEST, arguments: [] }), {}, 200, -32602),
  row('a list is asked for with a cursor', legacy('tools/list', { cursor: 'x' }), {}, 200, -32602),
  row(
    'the resource is unknown',
    modern('resources/read', { uri: 'x://y' }),
    modernHeaders('resources/read', 'x://y'),
    200,
    -32602,
  ),
  row('the resource is unknown in the older era', legacy('resources/read', { uri: 'x://y' }), {}, 200, -32002),
  row('the body is not JSON', '{"jsonrpc":', LIST, 400, -32700),
  row('the body is empty', '', LIST, 400, -32700),
  row('the body is a text', '"ping"', {}, 400, -32600),
  row('the body is null', 'null', {}, 400, -32600),
  row('the id is null', legacy('ping', {}, null), {}, 400, -32600),
  row('the id is a fraction', legacy('ping', {}, 1.5), {}, 400, -32600),
  row('the id is an object', legacy('ping', {}, {}), {}, 400, -32600),
  row('the body is a response', { jsonrpc: '2.0', id: 1, result: {} }, {}, 400, -32600),
  row('the body is an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }, {}, 400, -32600),
  row('the method is no text', legacy(7 as unknown as string), {}, 400, -32600),
  row('the method is empty', legacy(''), {}, 400, -32600),
  row('the parameters are a list', legacy('ping', []), {}, 400, -32600),
  row('JSON-RPC is of another version', { ...legacy('ping'), jsonrpc: '1.0' }, {}, 400, -32600),
  row('a batch is sent in the modern era', [listTools], LIST, 400, -32600),
  row('a batch is sent in a revision without batches', [legacy('ping')], { [VERSION]: '2025-06-18' }, 400, -32600),
  row(
    'the content type is a form',
    listTools,
    header('content-type', 'application/x-www-form-urlencoded'),
    415,
    -32600,
  ),
  row('the content type is plain text', listTools, header('content-type', 'text/plain'), 415, -32600),
  row('the content type says its charset', listTools, header('content-type', 'application/json; charset=utf-8'), 200),
  row('the content type is in capitals', listTools, header('content-type', 'Application/JSON'), 200),
  row('anything is accepted', listTools, header('accept', '*/*'), 200),
  row('JSON alone is accepted', listTools, header('accept', 'application/json'), 200),
];

describe('The MCP endpoint on the wire', () => {
  it.each(ROWS)('answers $status and $code when $when', async ({ body, headers, status, code }) => {
    const answer = await post(url, body, headers);
    expect({ status: answer.status, code: answer.json?.error?.code }).toEqual({ status, code });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0' });
    expect(answer.json.id).not.toBeNull();
  });

  it('lists the revisions it serves, in the words of JSON-RPC and of DAP', async () => {
    const { json } = await post(url, withMeta(modernMeta('2031-01-01')), header(VERSION, '2031-01-01'));
    expect(json.error.data).toMatchObject({
      supported: SUPPORTED,
      requested: '2031-01-01',
      code: 'dealeragent.protocol.unsupported_revision',
      retryable: false,
    });
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('refuses %s and says what it accepts', async (method) => {
    const answer = await send(url, { method });
    expect({ status: answer.status, allow: answer.headers.get('allow'), text: answer.text }).toEqual({
      status: 405,
      allow: 'POST, OPTIONS',
      text: '',
    });
  });

  it.each([
    { era: 'older', body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers: {} },
    {
      era: 'modern',
      body: { jsonrpc: '2.0', method: 'notifications/x', params: { _meta: modernMeta() } },
      headers: modernHeaders('notifications/x'),
    },
  ])('accepts a notification of the $era era with 202 and no body', async ({ body, headers }) => {
    const answer = await post(url, body, headers);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: '' });
  });

  it.each([1, 'one', 0, -5, 'é"\\', Number.MAX_SAFE_INTEGER])('gives the id %j back as it came', async (id) => {
    for (const answer of [
      await post(url, legacy('ping', {}, id)),
      await post(url, modern('server/discover', {}, id), modernHeaders('server/discover')),
    ]) {
      expect(answer.json.id).toBe(id);
    }
    const failed = await post(url, legacy('nothing', {}, id));
    expect(failed.json.id).toBe(id);
  });

  it('is at one address only: with a trailing slash it is not there, in the words of the protocol', async () => {
    const answer = await post(`${url}/`, legacy('ping'));
    expect({ status: answer.status, code: answer.json.error.data.code }).toEqual({
      status: 404,
      code: 'dealeragent.capability.unsupported',
    });
  });

  it('serves the only organization at /mcp and knows no other by name', async () => {
    expect(
      (await callTool(`${service.origin}/mcp`, MANIFEST, {})).json.result.structuredContent.organization_ids,
    ).toEqual([service.organizationId]);
    const absent = await post(`${service.origin}/organizations/org.other/mcp`, legacy('ping'));
    expect(absent.status).toBe(404);
    expect(absent.json.error.data).toMatchObject({ code: 'dealeragent.resource.not_found' });
    expect(absent.text).not.toContain('org.other');
  });
});

describe('The older era', () => {
  it.each([
    ...SUPPORTED.slice(1).map((asked) => ({ asked, offered: asked })),
    { asked: '2026-07-28', offered: '2025-11-25' },
    { asked: '1999-01-01', offered: '2025-11-25' },
  ])('answers initialize for $asked with $offered', async ({ asked, offered }) => {
    const { status, json } = await post(
      url,
      legacy('initialize', { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
    );
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      protocolVersion: offered,
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false, subscribe: false } },
      serverInfo: { name: 'forecourt' },
    });
  });

  it('needs no session, no header and no initialize before a tool call', async () => {
    const { json, headers } = await post(url, legacy('tools/call', { name: MANIFEST, arguments: {} }));
    expect(json.result.isError).toBe(false);
    expect(headers.get('mcp-session-id')).toBeNull();
  });

  it('answers batches of 2025-03-26 in order: answers, failures, and nothing for notifications', async () => {
    const { status, json } = await post(url, [
      legacy('ping', {}, 'a'),
      { jsonrpc: '2.0', method: 'notifications/x' },
      legacy('nothing', {}, 'b'),
      7,
      legacy('tools/call', { name: MANIFEST }, 'c'),
    ]);
    const answers = json as { id?: string; error?: { code: number } }[];
    expect(status).toBe(200);
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ['a', undefined],
      ['b', -32601],
      [undefined, -32600],
      ['c', undefined],
    ]);
  });

  it('accepts a batch of notifications alone with 202', async () => {
    const answer = await post(url, [{ jsonrpc: '2.0', method: 'notifications/x' }]);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: '' });
  });

  it('takes 20 messages in a batch, and neither 21 nor none', async () => {
    const pings = Array.from({ length: 21 }, (_, id) => legacy('ping', {}, id));
    expect((await post(url, pings.slice(1), { [VERSION]: '2025-03-26' })).json).toHaveLength(20);
    for (const refused of [pings, []]) {
      const { status, json } = await post(url, refused);
      expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32600 });
    }
  });
});

describe('What only the modern era has', () => {
  const common = { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'forecourt' } }, resultType: 'complete' };
  const pairs: readonly { method: string; params: Record<string, unknown>; cached: boolean }[] = [
    { method: 'tools/list', params: {}, cached: true },
    { method: 'resources/list', params: {}, cached: true },
    { method: 'resources/templates/list', params: {}, cached: true },
    { method: 'resources/read', params: { uri: 'dealeragent://manifest' }, cached: true },
    { method: 'tools/call', params: { name: MANIFEST, arguments: {} }, cached: true },
    { method: 'tools/call', params: { name: 'dealeragent.dealer.get', arguments: {} }, cached: false },
    { method: 'tools/call', params: { name: SEARCH, arguments: {} }, cached: false },
  ];

  it.each(pairs)('is on the result of $method $params.name', async ({ method, params, cached }) => {
    const now = (await postModern(url, method, params)).json.result;
    expect(now).toMatchObject(common);
    expect(typeof now.ttlMs).toBe(cached ? 'number' : 'undefined');
    expect(now.cacheScope).toBe(cached ? 'public' : undefined);
    const older = (await post(url, legacy(method, params))).json.result;
    expect(older).not.toHaveProperty('resultType');
    expect(older).not.toHaveProperty('_meta');
  });

  it('keeps cache advice out of the lists of the older era', async () => {
    for (const method of ['tools/list', 'resources/list', 'resources/read']) {
      const { result } = (await post(url, legacy(method, { uri: 'dealeragent://manifest' }))).json;
      expect(result).not.toHaveProperty('ttlMs');
      expect(result).not.toHaveProperty('cacheScope');
    }
  });

  it('discovers revisions and capabilities, and gives advice that never outlives the manifest', async () => {
    const { result } = (await postModern(url, 'server/discover')).json;
    expect(result).toMatchObject({
      ...common,
      supportedVersions: SUPPORTED,
      capabilities: { tools: {}, resources: {} },
      cacheScope: 'public',
    });
    const manifest = (await callTool(url, MANIFEST, {})).json.result;
    const left = Date.parse(manifest.structuredContent.expires_at as string) - Date.now();
    expect(manifest.ttlMs).toBeLessThanOrEqual(left + 1000);
  });

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
    'prompts/list',
  ])('does not know %s any more', async (method) => {
    const answer: WireAnswer = await postModern(url, method);
    expect({ status: answer.status, code: answer.json.error.code }).toEqual({ status: 404, code: -32601 });
  });

  it('does not know server/discover in the older era', async () => {
    expect((await post(url, legacy('server/discover'))).json.error.code).toBe(-32601);
  });
});
