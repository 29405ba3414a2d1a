import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacy, modern, modernHeaders, modernMeta, post, send } from '../support/mcp-http.js';
import { rawRequest } from '../support/raw-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const APP = 'https://app.example';
const MANIFEST = 'dealeragent.discovery.get_manifest';
const ASKED_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'traceparent',
  'idempotency-key',
];
const EXPOSED_HEADERS = ['www-authenticate', 'retry-after', 'ratelimit', 'ratelimit-policy', 'etag', 'x-request-id'];

let service: TestService;
let url: string;
let port: number;
beforeAll(async () => {
  service = await startTestService({ demo: false, env: { ALLOWED_ORIGINS: APP, ALLOWED_HOSTS: 'gateway.example' } });
  url = `${service.origin}/mcp`;
  port = service.settings.PORT;
});
afterAll(() => service.stop());

const listOf = (header: string | null): string[] => (header ?? '').toLowerCase().split(/\s*,\s*/);

describe('A credential on the MCP endpoint', () => {
  const calls = [
    { method: 'initialize', body: legacy('initialize', { protocolVersion: '2025-11-25' }), headers: {} },
    { method: 'ping', body: legacy('ping'), headers: {} },
    { method: 'tools/list', body: legacy('tools/list'), headers: {} },
    { method: 'tools/call', body: legacy('tools/call', { name: MANIFEST }), headers: {} },
    { method: 'server/discover', body: modern('server/discover'), headers: modernHeaders('server/discover') },
    {
      method: 'tools/call of today',
      body: modern('tools/call', { name: MANIFEST, arguments: {} }),
      headers: modernHeaders('tools/call', MANIFEST),
    },
    { method: 'a notification', body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers: {} },
    { method: 'a batch', body: [legacy('ping')], headers: {} },
  ];
  const credentials = ['', 'Bearer', 'Bearer ', 'Bearer nonsense', 'Basic dXNlcjpwYXNz', 'nonsense', 'Bearer a.b.c'];

  it.each(calls)('is refused on $method, whatever it is, and never taken for none', async ({ body, headers }) => {
    for (const authorization of credentials) {
      const answer = await post(url, body, { ...headers, authorization });
      expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", /);
      expect(answer.json.error.data).toMatchObject({ code: 'dealeragent.auth.invalid', retryable: false });
      expect(answer.text).not.toContain('nonsense');
    }
    const staff = await post(url, body, { ...headers, authorization: `Bearer ${await service.adminToken()}` });
    expect(staff.status).toBe(403);
    expect(staff.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope", resource_metadata=/);
    expect(staff.json.error.data).toMatchObject({ code: 'dealeragent.scope.insufficient', retryable: false });
  });

  it('is not needed for published retail', async () => {
    for (const { body, headers } of calls) expect((await post(url, body, headers)).status).toBeLessThan(300);
  });

  it('that is claimed in the body gives nothing and takes nothing', async () => {
    const meta = { ...modernMeta(), authorization: 'Bearer x', grant: { rooftop_ids: ['*'] } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
    const listed = async (asked: object): Promise<unknown> =>
      (await post(url, asked, modernHeaders('tools/list'))).json.result.tools;
    expect(await listed(body)).toEqual(await listed(modern('tools/list')));
  });
});

describe('Host and Origin', () => {
  const ping = JSON.stringify(legacy('ping'));
  const ask = (headers: Record<string, string>): ReturnType<typeof rawRequest> =>
    rawRequest(port, '/mcp', { headers: { 'content-type': 'application/json', ...headers }, body: ping });

  it.each([
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost',
    'LOCALHOST:99',
    '[::1]',
    '[::1]:80',
    'gateway.example',
    'Gateway.Example',
  ])('serves the host %s', async (host) => {
    expect((await ask({ host })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'gateway.example.evil.example',
    'gateway.example:8443',
    '0.0.0.0',
    '169.254.169.254',
    '[::ffff:127.0.0.1]',
    '[::1',
  ])('refuses the host "%s", as a rebound name would arrive', async (host) => {
    const { status, text } = await ask({ host });
    expect(status).toBe(403);
    expect(text).not.toContain('"result"');
    expect(text).not.toContain('evil');
  });

  it.each([APP, 'http://localhost', 'http://localhost:5173', 'http://127.0.0.1:9', 'https://[::1]:3000'])(
    'serves the origin %s and lets it read the answer',
    async (origin) => {
      const { status, headers } = await ask({ host: 'localhost', origin });
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['vary']).toBe('Origin');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(listOf(headers['access-control-expose-headers'] ?? null)).toEqual(expect.arrayContaining(EXPOSED_HEADERS));
    },
  );

  it.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'https://evil.example/https://app.example',
    'http://localhost.evil.example',
    'null',
    '*',
    'file://',
    '',
  ])('refuses the origin "%s" before anything else', async (origin) => {
    for (const path of ['/mcp', '/admin/v1/feeds', '/health/ready', '/nowhere']) {
      const { status, headers, text } = await rawRequest(port, path, {
        headers: { host: 'localhost', origin },
        body: ping,
      });
      expect({ path, status }).toEqual({ path, status: 403 });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(text).not.toContain('evil');
    }
  });

  it('asks for no known host where the platform probes by address', async () => {
    const { status } = await rawRequest(port, '/health/live', { method: 'GET', headers: { host: '10.1.2.3:8080' } });
    expect(status).toBe(200);
  });

  it('tells figures of the process to whoever watches it, and nothing of tenants', async () => {
    const headers = { host: '10.1.2.3:8080' };
    await expect
      .poll(async () => (await rawRequest(port, '/health/metrics', { method: 'GET', headers })).text, {
        timeout: 20_000,
      })
      .toMatch(/^forecourt_audit_lag_seconds [0-9.]+$/m);
    const { status, text, headers: answered } = await rawRequest(port, '/health/metrics', { method: 'GET', headers });
    expect({ status, type: answered['content-type'] }).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
    });
    expect(text).toMatch(/^forecourt_ready 1$/m);
    expect(text).toMatch(/^forecourt_access_snapshots \d+$/m);
    expect(text).not.toMatch(/org\.|NaN|null|undefined/);
    const lines = text.trimEnd().split('\n');
    expect(lines.filter((line) => !/^(?:# (?:HELP|TYPE) )?[a-z_]+ \S/.test(line))).toEqual([]);
  });

  it('lets an allowed origin read failures, too', async () => {
    for (const headers of [{ authorization: 'Bearer x' }, { 'content-type': 'text/plain' }]) {
      const answer = await post(url, legacy('ping'), { origin: APP, ...headers });
      expect(answer.status).toBeGreaterThan(400);
      expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
    }
  });
});

describe('A preflight', () => {
  const preflight = (origin: string | null, path = '/mcp'): ReturnType<typeof send> =>
    send(`${service.origin}${path}`, {
      method: 'OPTIONS',
      headers: {
        ...(origin === null ? {} : { origin }),
        'access-control-request-method': 'POST',
        'access-control-request-headers': ASKED_HEADERS.join(','),
      },
    });

  it('of an allowed origin is told every header that a client sends', async () => {
    for (const path of ['/mcp', `/organizations/${service.organizationId}/mcp`]) {
      const { status, headers, text } = await preflight(APP, path);
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect(headers.get('access-control-allow-origin')).toBe(APP);
      expect(headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
      expect(listOf(headers.get('access-control-allow-headers'))).toEqual(expect.arrayContaining(ASKED_HEADERS));
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it('of an unknown origin is refused', async () => {
    const { status, headers } = await preflight('https://evil.example');
    expect(status).toBe(403);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('gets nothing to read on the admin API', async () => {
    const { status, headers } = await preflight(APP, '/admin/v1/feeds');
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers.get('access-control-allow-methods')).toBeNull();
  });
});
