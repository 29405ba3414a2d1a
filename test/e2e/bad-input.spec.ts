import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callTool, legacy, post, send } from '../support/mcp-http.js';
import { exchange, rawRequest } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';
import { freshKey } from '../support/admin-client.js';
import { startTestService } from '../support/service.js';

const LIMIT = 1_048_576;
const MARK = 'Sekret-Mark';
const SEARCH = 'dealeragent.inventory.search';

let service: TestService;
let port: number;
let key: string;
beforeAll(async () => {
  service = await startTestService({ demo: false });
  port = service.settings.PORT;
  key = await service.adminToken();
});
afterAll(() => service.stop());

afterEach(async () => {
  expect((await send(`${service.origin}/health/ready`, {})).status).toBe(200);
});

type Headers = Readonly<Record<string, string>>;
const toMcp = (body: string | Uint8Array, headers: Headers = {}): ReturnType<typeof post> =>
  post(`${service.origin}/mcp`, body, headers);
const toAdmin = (body: string | Uint8Array, headers: Headers = {}): ReturnType<typeof post> =>
  post(`${service.origin}/admin/v1/unit-events`, body, { authorization: `Bearer ${key}`, ...freshKey(), ...headers });
const toNowhere = (body: string | Uint8Array, headers: Headers = {}): ReturnType<typeof post> =>
  post(`${service.origin}/nowhere/${MARK}`, body, headers);

/** The failure envelope of the admin API and of every path that no protocol has. */
function expectEnvelope(
  text: string,
  status: number,
  expected: { status: number; code: string; reason?: string },
): void {
  const { data, meta, error } = JSON.parse(text) as Record<string, Record<string, unknown> | null>;
  const reason = (error?.['details'] as { reason?: string } | undefined)?.reason;
  expect({ status, code: error?.['code'], reason }).toEqual({ reason: undefined, ...expected });
  expect(data).toBeNull();
  expect(meta).toMatchObject({ schema: 'v1', outcome: 'failed', cache: 'bypass', request_id: error?.['request_id'] });
  expect(text).not.toContain(MARK);
}

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);
const BODIES: readonly { what: string; body: string | Uint8Array; headers?: Headers; rpc: number; reason: string }[] = [
  { what: 'nothing', body: '', rpc: -32700, reason: 'empty_body' },
  { what: 'half of a document', body: `{"${MARK}":`, rpc: -32700, reason: 'malformed_json' },
  { what: 'two documents', body: '{}{}', rpc: -32700, reason: 'malformed_json' },
  { what: 'a comment', body: `{} // ${MARK}`, rpc: -32700, reason: 'malformed_json' },
  { what: 'not a number', body: '{"a":NaN}', rpc: -32700, reason: 'malformed_json' },
  { what: 'a NUL byte', body: `{"a":"\0${MARK}"}`, rpc: -32700, reason: 'malformed_json' },
  { what: 'an escaped NUL', body: `{"a":"\\u0000${MARK}"}`, rpc: -32700, reason: 'malformed_json' },
  { what: 'a NUL byte alone', body: '\0', rpc: -32700, reason: 'malformed_json' },
  {
    what: 'broken UTF-8',
    body: Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]),
    rpc: -32700,
    reason: 'unsupported_encoding',
  },
  {
    what: 'an encoded surrogate',
    body: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    rpc: -32700,
    reason: 'unsupported_encoding',
  },
  { what: 'UTF-16', body: Buffer.from('\ufeff{}', 'utf16le'), rpc: -32700, reason: 'unsupported_encoding' },
  { what: '10,000 nested arrays', body: nested(10_000, '[', ']'), rpc: -32600, reason: 'nesting_too_deep' },
  { what: '100,000 open brackets', body: '['.repeat(100_000), rpc: -32600, reason: 'nesting_too_deep' },
  {
    what: '65 nested objects',
    body: `${nested(64, '{"a":', '')}{}${nested(64, '', '}')}`,
    rpc: -32600,
    reason: 'nesting_too_deep',
  },
  { what: 'gzip', body: '{}', headers: { 'content-encoding': 'gzip' }, rpc: -32700, reason: 'unsupported_encoding' },
  {
    what: 'no encoding by name',
    body: '{}',
    headers: { 'content-encoding': 'identity' },
    rpc: -32700,
    reason: 'unsupported_encoding',
  },
];

describe('A body that cannot be read', () => {
  it.each(BODIES)('is refused in the words of each surface: $what', async ({ body, headers, rpc, reason }) => {
    const mcp = await toMcp(body, headers);
    expect({ status: mcp.status, code: mcp.json.error.code }).toEqual({ status: 400, code: rpc });
    expect(mcp.json).not.toHaveProperty('id');
    expect(mcp.json.error.data).toMatchObject({ code: 'dealeragent.validation.invalid', retryable: false });
    expect(mcp.text).not.toContain(MARK);
    const admin = await toAdmin(body, headers);
    expectEnvelope(admin.text, admin.status, { status: 400, code: 'invalid_request', reason });
  });

  it.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'x',
  ])('is refused for its type: %s', async (type) => {
    const mcp = await toMcp('{}', { 'content-type': type });
    expect({ status: mcp.status, code: mcp.json.error.code }).toEqual({ status: 415, code: -32600 });
    const admin = await toAdmin('{}', { 'content-type': type });
    expectEnvelope(admin.text, admin.status, {
      status: 400,
      code: 'invalid_request',
      reason: 'unsupported_media_type',
    });
  });
});

describe('The size of a body', () => {
  const sized = (bytes: number): string => JSON.stringify(legacy('ping')).padEnd(bytes);

  it.each([LIMIT - 1, LIMIT])('of %i bytes is taken', async (bytes) => {
    expect((await toMcp(sized(bytes))).json.result).toEqual({});
  });

  it('of one byte more is refused in the words of each surface', async () => {
    const mcp = await toMcp(sized(LIMIT + 1));
    expect({ status: mcp.status, code: mcp.json.error.code }).toEqual({ status: 413, code: -32600 });
    const admin = await toAdmin(sized(LIMIT + 1));
    expectEnvelope(admin.text, admin.status, { status: 413, code: 'body_too_large' });
  });

  it('is counted, not believed: chunks without a length are refused at the same byte', async () => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked', host: 'localhost' };
    const pieces = (bytes: number): string[] => [sized(bytes - 1000), ' '.repeat(1000)];
    expect((await rawRequest(port, '/mcp', { headers, body: pieces(LIMIT) })).status).toBe(200);
    const refused = await rawRequest(port, '/mcp', { headers, body: pieces(LIMIT + 1) });
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: -32600 } });
  });
});

describe('Odd but readable JSON', () => {
  it('may start with a byte order mark', async () => {
    expect((await toMcp(`\ufeff${JSON.stringify(legacy('ping'))}`)).json.result).toEqual({});
  });

  it('may be 64 levels deep, and says then what is wrong with it', async () => {
    const arguments_ = `${nested(61, '{"a":', '')}{}${nested(61, '', '}')}`;
    const { status, json } = await toMcp(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${SEARCH}","arguments":${arguments_}}}`,
    );
    expect(status).toBe(200);
    expect(json.result.structuredContent.code).toBe('dealeragent.validation.invalid');
  });

  it.each(['1e400', '12345678901234567890', '-1e999', '0.1'])('has no request id like %s', async (id) => {
    const { status, json } = await toMcp(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32600 });
  });

  it('with a member twice means the last one', async () => {
    const { json } = await toMcp('{"jsonrpc":"2.0","id":1,"id":2,"method":"nothing","method":"ping"}');
    expect(json).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])('cannot reach an object through %s', async (name) => {
    const smuggled = `{"organization_id":"${service.organizationId}","${name}":{"polluted":"${MARK}"},"filters":{"${name}":{"polluted":true}}}`;
    const { json, text } = await toMcp(
      `{"jsonrpc":"2.0","id":1,"${name}":{"polluted":true},"method":"tools/call","params":{"name":"${SEARCH}","arguments":${smuggled}}}`,
    );
    const wrong = json.result.structuredContent.details.field_errors as {
      keyword: string;
      instance_location: string;
    }[];
    expect(wrong.map((v) => v.instance_location)).toEqual(expect.arrayContaining([`/${name}`, `/filters/${name}`]));
    expect(text).not.toContain(MARK);
    expect(Object.prototype).not.toHaveProperty('polluted');
    const admin = await toAdmin(`{"${name}":{"polluted":"${MARK}"}}`);
    expectEnvelope(admin.text, admin.status, { status: 400, code: 'invalid_input' });
  });

  it.each(['\\ud800', '\\udc00\\ud800', '\\uffff', '\\u202e', '\\u0001', '\u{1f600}'])(
    'may ask for words like %s',
    async (word) => {
      const answer = await toMcp(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${SEARCH}","arguments":{"organization_id":"${service.organizationId}","query":"${word}"}}}`,
      );
      expect(answer.status).toBe(200);
      const { isError, structuredContent } = answer.json.result;
      expect(isError ? structuredContent.code : structuredContent.vehicles).toEqual(
        isError ? 'dealeragent.validation.invalid' : [],
      );
    },
  );

  it.each(['\\ud800', '\\u0007'])('gives an id of %s back', async (id) => {
    const { json } = await toMcp(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}`);
    expect(json.id).toBe(JSON.parse(`"${id}"`));
  });

  it.each([
    { what: 'a method of 100 kB', body: legacy(MARK.repeat(9000)), code: -32600 },
    { what: 'an id of 100 kB', body: legacy('ping', {}, MARK.repeat(9000)), code: -32600 },
    { what: 'a tool name of 100 kB', body: legacy('tools/call', { name: MARK.repeat(9000) }), code: -32602 },
    { what: 'an address of 100 kB', body: legacy('resources/read', { uri: MARK.repeat(9000) }), code: -32002 },
    { what: 'an unknown method', body: legacy(MARK), code: -32601 },
  ])('is answered briefly and without repeating it: $what', async ({ body, code }) => {
    const { json, text } = await toMcp(JSON.stringify(body));
    expect(json.error.code).toBe(code);
    expect(text).not.toContain(MARK);
    expect(text.length).toBeLessThan(1000);
  });

  it('with 200 wrong members is told of at most 100', async () => {
    const args = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`member_${i}`, MARK]));
    const { json, text } = await callTool(`${service.origin}/mcp`, SEARCH, args);
    expect(json.result.structuredContent.details.field_errors).toHaveLength(100);
    expect(text).not.toContain(MARK);
  });

  it('does not name a wrong member whose name looks like data', async () => {
    const { text } = await callTool(`${service.origin}/mcp`, SEARCH, {
      'jane.doe@mail.example': 1,
      '+1 305 555 0123': 2,
    });
    expect(text).not.toMatch(/jane|305/);
  });
});

describe('A path or method that is not there', () => {
  it.each([
    '/',
    '/nowhere',
    `/${MARK}`,
    '/admin',
    '/admin/v1',
    '/admin/v1/feeds/x/y/z',
    '/health',
    '/mcp/x',
    '/.env',
    '//',
    '/mcp//',
    `/?q=${MARK}`,
  ])('is answered in the envelope of the house: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH']) {
      const body = method === 'GET' ? '' : '{}';
      const { status, text } = await rawRequest(port, path, {
        method,
        headers: { host: 'localhost', 'content-type': 'application/json', 'content-length': String(body.length) },
        body,
      });
      expectEnvelope(text, status, { status: 400, code: 'invalid_input', reason: 'unknown_route' });
    }
  });

  it.each(['/%zz', '/admin/v1/%E0%A4%A', '/%', `/${MARK}/%c0%ae`])(
    'with a broken escape is refused by name: %s',
    async (path) => {
      const { status, text } = await rawRequest(port, path, { method: 'GET', headers: { host: 'localhost' } });
      expectEnvelope(text, status, { status: 400, code: 'invalid_input', reason: 'malformed_path' });
    },
  );

  it.each([
    '/%61dmin/v1/feeds',
    '/admin/v1/%66eeds',
    'http://localhost/admin/v1/feeds',
    'http://localhost/%61dmin/v1/feeds',
  ])('is no way around what holds for the plain one: %s', async (target) => {
    const answer = await rawRequest(port, target, {
      headers: { host: 'localhost', authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    // Neither around the Idempotency-Key of a POST nor around the allowance of the network.
    expectEnvelope(answer.text, answer.status, {
      status: 400,
      code: 'invalid_input',
      reason: 'idempotency_key_required',
    });
    expect(answer.headers['ratelimit']).toMatch(/^"admin";r=\d+;t=\d+, "key";/);
  });

  it('names its host itself where it is absolute, whatever the Host header says', async () => {
    const headers = { host: 'localhost', authorization: `Bearer ${key}` };
    const answer = await rawRequest(port, 'http://rebound.example/admin/v1/feeds', { method: 'GET', headers });
    expect({ status: answer.status, body: JSON.parse(answer.text) as unknown }).toEqual({
      status: 403,
      body: { error: 'host_not_allowed' },
    });
  });

  it.each(['localhost', 'evil.example'])(
    'is asked of one host: a second Host header that says %s is refused',
    async (second) => {
      const head = [
        'GET /admin/v1/feeds HTTP/1.1',
        'Host: localhost',
        `authorization: Bearer ${key}`,
        `HOST: ${second}`,
      ];
      const answer = await exchange(port, [`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`]);
      expect([answer.status, answer.text]).toEqual([400, '{"error":"host_repeated"}']);
    },
  );

  it('belongs to the protocol where its shape is that of an endpoint', async () => {
    for (const segment of ['%zz', 'x'.repeat(300), encodeURIComponent('../../etc'), '%00', '%ff']) {
      const { status, text } = await rawRequest(port, `/organizations/${segment}/mcp`, {
        headers: { host: 'localhost', 'content-type': 'application/json' },
        body: JSON.stringify(legacy('ping')),
      });
      expect({ segment, status }).toEqual({ segment, status: 404 });
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -31000 } });
    }
  });

  it.each(['feeds/%00', 'feeds?after=%00', 'feed-runs/a%00b', 'feed-runs/%00/rows', 'vehicles/%00/source'])(
    'holds no NUL: %s',
    async (path) => {
      const { status, text } = await send(`${service.origin}/admin/v1/${path}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expectEnvelope(text, status, { status: 400, code: 'invalid_input', reason: 'malformed_path' });
    },
  );

  it('reads no body of any kind', async () => {
    const answer = await toNowhere('x'.repeat(LIMIT * 2), { 'content-type': 'text/plain' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain(MARK);
  });
});

describe('Bytes that are not HTTP', () => {
  const START = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

  it.each([
    { what: 'a TLS greeting', bytes: Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01]) },
    { what: 'noise', bytes: `${MARK}\r\n\r\n` },
    { what: 'a method nobody knows', bytes: `${MARK} / HTTP/1.1\r\nHost: localhost\r\n\r\n` },
    { what: 'another protocol version', bytes: 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n' },
    { what: 'a length and chunks', bytes: `${START}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n` },
    { what: 'a length below zero', bytes: `${START}Content-Length: -1\r\n\r\n` },
    { what: 'two lengths', bytes: `${START}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab` },
    { what: 'a header with a NUL', bytes: `${START}X-Mark: a\0${MARK}\r\n\r\n` },
    { what: 'a chunk of no size', bytes: `${START}Transfer-Encoding: chunked\r\n\r\n${MARK}\r\n` },
  ])('are refused readably and the connection is closed: $what', async ({ bytes }) => {
    const { status, text, headers, closed } = await exchange(port, [bytes]);
    expect({ status, closed }).toEqual({ status: 400, closed: true });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toMatchObject({ data: null, error: { code: 'invalid_request', retryable: false } });
    expect(text).not.toContain(MARK);
  });

  it('such as headers without end are cut off', async () => {
    const { status, closed } = await exchange(port, [START, `X-Mark: ${'x'.repeat(100_000)}\r\n\r\n`]);
    expect({ status, closed }).toEqual({ status: 431, closed: true });
  });

  it('that stop half way keep nobody else waiting', async () => {
    const half = [
      exchange(port, ['POST /mcp HT'], 700),
      exchange(port, [START, 'Content-Length: 100\r\n\r\n{"jsonrpc"'], 700),
      exchange(port, [START, 'Transfer-Encoding: chunked\r\n\r\n5\r\nab'], 700),
    ];
    expect((await toMcp(JSON.stringify(legacy('ping')))).json.result).toEqual({});
    for (const answer of await Promise.all(half)) expect(answer.text).toBe('');
  });
});
