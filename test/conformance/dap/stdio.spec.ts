import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CompiledService } from '../../support/compiled-service.js';
import { compileService } from '../../support/compiled-service.js';
import { DapWorld } from '../../support/dap-world.js';
import { modern } from '../../support/mcp-http.js';
import { TOOL } from './checks.js';

let world: DapWorld;
let compiled: CompiledService;
beforeAll(async () => {
  [world, compiled] = await Promise.all([DapWorld.open(), compileService()]);
});
afterAll(async () => {
  await compiled.remove();
  await world.stop();
});

/** What the bridge writes for lines of input. */
function bridged(lines: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [compiled.command, 'stdio', '--url', world.url], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written += text));
  child.stdin.end(`${lines.join('\n')}\n`);
  return new Promise((done) => child.once('close', () => done(written)));
}

it('DAP 18: stdio writes exactly one line of JSON for each request, in order', async () => {
  const requests = [
    modern('server/discover', {}, 1),
    modern('tools/list', {}, 'two'),
    modern('tools/call', { name: TOOL.search, arguments: {} }, 3),
    modern('tools/none', {}, 4),
  ];
  const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } };
  const lines = (await bridged([...requests, notification].map((request) => JSON.stringify(request)))).split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual([1, 'two', 3, 4]);
});
