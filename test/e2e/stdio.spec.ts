import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompiledService } from '../support/compiled-service.js';
import { compileService } from '../support/compiled-service.js';
import { legacy, modern, MODERN } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const MANIFEST = 'dealeragent.discovery.get_manifest';
const DEALER = 'dealeragent.dealer.get';
const SEARCH = 'dealeragent.inventory.search';

let compiled: CompiledService;
let service: TestService;
let url: string;
beforeAll(async () => {
  [compiled, service] = await Promise.all([compileService(), startTestService({ demo: false })]);
  url = `${service.origin}/organizations/${service.organizationId}/mcp`;
});
afterAll(async () => {
  await service.stop();
  await compiled.remove();
});

const { PATH = '', HOME = '' } = process.env;
const commandLine = (
  to: string,
): { command: string; args: string[]; env: Record<string, string>; stderr: 'ignore' } => ({
  command: process.execPath,
  args: [compiled.command, 'stdio', '--url', to],
  env: { PATH, HOME },
  stderr: 'ignore',
});

describe('forecourt stdio', () => {
  const clients = [
    {
      name: 'the v1 client',
      open: async () => {
        const client = new OlderClient({ name: 'test', version: '1' });
        await client.connect(new OlderTransport(commandLine(url)));
        return client;
      },
    },
    {
      name: 'the v2 client as it comes',
      open: async () => {
        const client = new Client({ name: 'test', version: '1' });
        await client.connect(new StdioClientTransport(commandLine(url)));
        return client;
      },
    },
    {
      name: 'the v2 client that insists on 2026-07-28',
      open: async () => {
        const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } });
        await client.connect(new StdioClientTransport(commandLine(url)));
        return client;
      },
    },
  ];

  it.each(clients)('serves $name: lists, calls, reads, and useful errors', async ({ open }) => {
    const client = await open();
    try {
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining([DEALER, MANIFEST, SEARCH]));
      const manifest = await client.callTool({ name: MANIFEST, arguments: {} });
      expect(manifest.structuredContent).toMatchObject({ organization_ids: [service.organizationId] });
      const { contents } = await client.readResource({ uri: 'dealeragent://manifest' });
      expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(manifest.structuredContent);
      const wrong = await client.callTool({ name: SEARCH, arguments: { organization_id: 42 } });
      expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'dealeragent.validation.invalid' } });
    } finally {
      await client.close();
    }
  });

  it('writes one line for each request, in order, and nothing else', async () => {
    const bridge = new Bridge(url);
    const asked = [
      legacy(
        'initialize',
        { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
        1,
      ),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      legacy('tools/call', { name: MANIFEST, arguments: {} }, 'slow'),
      legacy('ping', {}, 2),
      legacy('nothing', {}, 3),
      legacy('tools/call', { name: 'no.such.tool' }, 4),
      [legacy('ping', {}, 5), legacy('ping', {}, 6)],
      modern('tools/list', {}, 7),
      modern('tools/call', { name: 'é', arguments: {} }, 8),
      { jsonrpc: '2.0', id: 9, result: {} },
    ];
    for (const message of asked) bridge.send(JSON.stringify(message));
    bridge.send('this is no JSON');
    bridge.send('');
    bridge.send(JSON.stringify(legacy('ping', {}, 'last\u2028')));
    const { code, lines, complaints } = await bridge.endInput();
    expect(code).toBe(0);
    const ids = lines.map((line) => (Array.isArray(line) ? (line as Line[]).map(({ id }) => id) : line.id));
    expect(ids).toEqual([1, 'slow', 2, 3, 4, [5, 6], 7, 8, undefined, 'last\u2028']);
    expect(lines[8]).toMatchObject({ error: { code: -32700 } });
    expect(lines[6]).toMatchObject({ result: { resultType: 'complete' } });
    expect(complaints).not.toContain('this is no JSON');
  });

  it('puts refusals of identity where the model can read them', async () => {
    const bridge = new Bridge(url, { FORECOURT_TOKEN: 'nonsense' });
    bridge.send(JSON.stringify(legacy('tools/call', { name: MANIFEST, arguments: {} }, 1)));
    bridge.send(JSON.stringify(modern('tools/call', { name: MANIFEST, arguments: {} }, 2)));
    bridge.send(JSON.stringify(legacy('tools/list', {}, 3)));
    const { lines, complaints } = await bridge.endInput();
    const refused = { isError: true, structuredContent: { code: 'dealeragent.auth.invalid' } };
    expect(lines[0]).toMatchObject({ id: 1, result: refused });
    expect(lines[1]).toMatchObject({ id: 2, result: { resultType: 'complete', ...refused } });
    expect(lines[2]).toMatchObject({ id: 3, error: { data: { code: 'dealeragent.auth.invalid' } } });
    expect(complaints).not.toContain('nonsense');
  });

  it('answers while the gateway is away, and again when it is back', async () => {
    const port = await closedPort();
    const bridge = new Bridge(`http://127.0.0.1:${port}/mcp`);
    bridge.send(JSON.stringify(legacy('tools/call', { name: MANIFEST, arguments: {} }, 1)));
    await bridge.until(1);
    const gateway = createServer((_, response) => response.end('{"jsonrpc":"2.0","id":2,"result":{}}'));
    for (const id of [2, 3]) {
      // Each time on a connection that the last gateway has cut.
      await new Promise<void>((done) => gateway.listen(port, '127.0.0.1', done));
      bridge.send(JSON.stringify(legacy('ping', {}, id)));
      await bridge.until(id);
      gateway.closeAllConnections();
      await new Promise((done) => gateway.close(done));
    }
    const { code, lines } = await bridge.endInput();
    expect(code).toBe(0);
    const away = { code: 'dealeragent.upstream.unavailable', retryable: true };
    expect(lines[0]).toMatchObject({ id: 1, result: { isError: true, structuredContent: away } });
    expect(lines.slice(1).map((line) => line.result)).toEqual([{}, {}]);
  });

  it('gives no answer to what was cancelled, and goes on', async () => {
    const hanging = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (Buffer.concat(chunks).includes('"ping"')) response.end('{"jsonrpc":"2.0","id":2,"result":{}}');
      });
    });
    await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done));
    const bridge = new Bridge(`http://127.0.0.1:${(hanging.address() as AddressInfo).port}/mcp`);
    bridge.send(JSON.stringify(modern('tools/call', { name: MANIFEST, arguments: {} }, 1)));
    bridge.send(JSON.stringify(legacy('ping', {}, 2)));
    setTimeout(
      () =>
        bridge.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })),
      200,
    );
    await bridge.until(1);
    const { lines } = await bridge.endInput();
    expect(lines.map(({ id }) => id)).toEqual([2]);
    hanging.closeAllConnections();
    await new Promise((done) => hanging.close(done));
  });

  it('ends with 0 when it is told to stop, although a subscription is open', async () => {
    const bridge = new Bridge(url);
    bridge.send(JSON.stringify(modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, 1)));
    await bridge.until(1);
    const { code, lines } = await bridge.stop();
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  });

  it.each([['not a url'], ['ftp://127.0.0.1/mcp'], ['http://gateway.example/mcp']])(
    'refuses %s as an address, with a token',
    async (address) => {
      const { code, lines, complaints } = await new Bridge(address, { FORECOURT_TOKEN: 'sekret' }).endInput();
      expect({ code, lines }).toEqual({ code: 2, lines: [] });
      expect(complaints).not.toContain('sekret');
    },
  );
});

type Line = { readonly id?: unknown; readonly result?: unknown; readonly error?: unknown; readonly method?: string };

interface Ended {
  readonly code: number | null;
  readonly lines: readonly Line[];
  readonly complaints: string;
}

/** The bridge as a child, with every line that it wrote. */
class Bridge {
  private readonly child: ChildProcessWithoutNullStreams;
  private written = '';
  private complaints = '';
  private readonly ended: Promise<number | null>;

  constructor(to: string, env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [compiled.command, 'stdio', '--url', to], { env: { PATH, HOME, ...env } });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.written += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.complaints += text));
    this.child.stdin.on('error', () => undefined); // it may have ended before it was told anything
    this.ended = new Promise((done) => {
      this.child.once('close', (code) => {
        done(code);
      });
    });
  }

  send(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  async until(lines: number): Promise<void> {
    while (this.written.split('\n').length <= lines) await new Promise((done) => setTimeout(done, 20));
  }

  endInput(): Promise<Ended> {
    this.child.stdin.end();
    return this.end();
  }

  stop(): Promise<Ended> {
    this.child.kill('SIGTERM');
    return this.end();
  }

  private async end(): Promise<Ended> {
    const code = await this.ended;
    const lines = this.written.split('\n');
    expect(lines.pop()).toBe('');
    return { code, lines: lines.map((line) => JSON.parse(line) as Line), complaints: this.complaints };
  }
}

async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}
