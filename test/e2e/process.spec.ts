import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import type { Environment } from '../support/child-service.js';
import { ChildService, freePort, runToEnd } from '../support/child-service.js';
import type { CompiledService } from '../support/compiled-service.js';
import { compileService } from '../support/compiled-service.js';
import { callTool, post } from '../support/mcp-http.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

let compiled: CompiledService;
let home: string;
let dataDir: string;
let port: number;
const started: ChildService[] = [];

beforeAll(async () => {
  compiled = await compileService();
  home = await mkdtemp(join(tmpdir(), 'forecourt-process-'));
  dataDir = join(home, 'data');
  port = await freePort();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.stop()));
});
afterAll(async () => {
  await compiled.remove();
  await rm(home, { recursive: true, force: true });
});

const environment = (more: Environment = {}): Environment => ({
  FORECOURT_PROFILE: 'local',
  FORECOURT_DEMO: 'on',
  DATA_DIR: dataDir,
  PORT: String(port),
  LOG_LEVEL: 'warn',
  ...more,
});

function start(more: Environment = {}): ChildService {
  const child = new ChildService([compiled.main, 'all'], environment(more));
  started.push(child);
  return child;
}

async function startReady(more: Environment = {}): Promise<ChildService> {
  const child = start(more);
  await child.until('Forecourt is ready.');
  await child.until('Ctrl-C');
  return child;
}

/** PostgreSQL processes that work on a folder of this test. */
function databaseProcesses(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes('postgres') && command.includes(home) && !command.includes('main.js');
      } catch {
        return false; // it ended in between
      }
    });
}

const vehicles = async (): Promise<readonly { vehicle_id: string }[]> => {
  const args = { organization_id: DEMO_ORGANIZATION, page: { limit: 100 } };
  const { json } = await callTool(`http://127.0.0.1:${port}/mcp`, 'dealeragent.inventory.search', args);
  return json.result.structuredContent.vehicles as { vehicle_id: string }[];
};

describe('npm start, on one machine', () => {
  it('starts from nothing, says what to do next, and keeps everything over a restart', async () => {
    const first = await startReady();
    for (const line of [
      `http://127.0.0.1:${port}/organizations/${DEMO_ORGANIZATION}/mcp`,
      'curl -s',
      'admin.key',
      'agent.key',
      '/health/ready',
    ]) {
      expect(first.output).toContain(line);
    }
    const key = await readFile(join(dataDir, 'admin.key'), 'utf8');
    expect(first.output).not.toContain(key.trim());
    expect((await stat(join(dataDir, 'admin.key'))).mode & 0o077).toBe(0);
    const agent = await readFile(join(dataDir, 'agent.key'), 'utf8');
    expect(first.output).not.toContain(agent.trim());
    expect((await stat(join(dataDir, 'agent.key'))).mode & 0o077).toBe(0);
    const example = await runToEnd(
      [join(REPOSITORY, 'docs/examples/ask-inventory.mjs'), `http://127.0.0.1:${port}/mcp`],
      {
        FORECOURT_TOKEN: agent.trim(),
      },
    );
    expect(example).toMatchObject({ code: 0, output: expect.stringMatching(/its price: .*completeness \d+/) });
    expect(example.output).toMatch(/right now: \w+ \(authoritative, until /);
    const before = await vehicles();
    expect(before).toHaveLength(100);
    expect(await first.stop('SIGINT')).toEqual({ code: 0, signal: null });
    expect(databaseProcesses()).toEqual([]);

    const second = await startReady();
    expect(second.output).not.toMatch(/initialising|importing/);
    const body = /-d '(\{.*\})'/.exec(second.output)?.[1] ?? '';
    const tried = await post(`http://127.0.0.1:${port}/mcp`, body);
    expect(tried.json.result.structuredContent.vehicles).toHaveLength(3);
    expect((await vehicles()).map((v) => v.vehicle_id)).toEqual(before.map((v) => v.vehicle_id));
    expect(await readFile(join(dataDir, 'admin.key'), 'utf8')).toBe(key);
    expect(await readFile(join(dataDir, 'agent.key'), 'utf8')).toBe(agent);
  });

  it('comes back after a kill, and takes over the database that was left behind', async () => {
    const killed = await startReady();
    expect(await killed.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await startReady();
    expect(await vehicles()).toHaveLength(100);
    expect(databaseProcesses().length).toBeGreaterThan(0);
  });

  it('refuses a second process on the same data, which goes on undisturbed', async () => {
    const running = await startReady();
    const { code, output } = await runToEnd([compiled.main, 'all'], environment({ PORT: String(await freePort()) }));
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining(`process ${running.pid} already runs on ${dataDir}; stop it first`),
    });
    expect(await vehicles()).toHaveLength(100);
    expect(await running.stop()).toEqual({ code: 0, signal: null });
    expect(databaseProcesses()).toEqual([]);
  });

  it('names the port that is taken, ends, and leaves no database behind', async () => {
    const holder = createServer();
    await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
    const taken = (holder.address() as AddressInfo).port;
    const { code, output } = await runToEnd([compiled.main, 'all'], environment({ PORT: String(taken) }));
    holder.close();
    expect(code).toBe(1);
    expect(output).toContain(`port ${taken} on 127.0.0.1 is in use; set PORT to another one`);
    expect(databaseProcesses()).toEqual([]);
  });

  it('answers what it was asked before SIGTERM, takes nothing new, and waits for no connection that never spoke', async () => {
    const child = await startReady();
    const silent = connect(port, '127.0.0.1').on('error', () => undefined);
    await new Promise((done) => silent.once('connect', done));
    const asked = Array.from({ length: 20 }, () => vehicles());
    child.kill('SIGTERM');
    const settled = await Promise.allSettled(asked);
    for (const outcome of settled) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toHaveLength(100);
    }
    expect(await child.ended).toEqual({ code: 0, signal: null });
    await expect(vehicles()).rejects.toThrow();
  });

  it('finishes a request whose body is still on its way when SIGTERM comes', async () => {
    const child = await startReady();
    let finish: () => void = () => undefined;
    const rest = new Promise<void>((done) => (finish = done));
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const body = new ReadableStream<Uint8Array>({
      start: async (stream) => {
        stream.enqueue(Buffer.from(text.slice(0, 10)));
        await rest;
        stream.enqueue(Buffer.from(text.slice(10)));
        stream.close();
      },
    });
    const asked = fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    });
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    child.kill('SIGTERM');
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/health/live`).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    finish();
    expect(await (await asked).json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await child.ended).toEqual({ code: 0, signal: null });
  });
});

describe('A start that cannot be', () => {
  it.each([
    {
      what: 'the demo in production',
      env: { FORECOURT_PROFILE: 'production', NODE_ENV: 'production' },
      says: ['FORECOURT_DEMO: needs FORECOURT_PROFILE=local'],
    },
    {
      what: 'the demo on an address that others reach',
      env: { HOST: '0.0.0.0' },
      says: ['FORECOURT_DEMO: refuses a HOST that others can reach'],
    },
    {
      what: 'many wrong settings',
      env: { PORT: 'http', LOG_LEVEL: 'loud', FORECOURT_COLOUR: 'blue', DATABASE_URL: 'mysql://u:hidden-word@h/d' },
      says: ['4 problem(s)', 'PORT:', 'LOG_LEVEL:', 'FORECOURT_COLOUR:', 'DATABASE_URL:'],
    },
    {
      what: 'production without its settings',
      env: { FORECOURT_PROFILE: '', FORECOURT_DEMO: '' },
      says: ['2 problem(s)', 'DATABASE_URL:', 'FORECOURT_SECRET:'],
    },
  ])('ends at once with everything that is wrong: $what', async ({ env, says }) => {
    const { code, output } = await runToEnd([compiled.main, 'all'], environment(env));
    expect(code).toBe(1);
    for (const text of says) expect(output).toContain(text);
    expect(output).not.toMatch(/hidden-word|\n\s+at /);
  });

  it.each([[[]], [['toString']]])('names the roles when asked for %j', async (args) => {
    const { code, output } = await runToEnd([compiled.main, ...args], environment());
    expect({ code, output }).toEqual({ code: 1, output: 'name a role: api, worker, migrate, all\n' });
  });

  it('says that the database cannot be reached, without its password', async () => {
    const env = environment({
      DATABASE_URL: `postgres://u:hidden-word@127.0.0.1:${await freePort()}/d`,
      DATA_DIR: join(home, 'other'),
    });
    const { code, output } = await runToEnd([compiled.main, 'all'], env);
    expect(code).toBe(1);
    expect(output).toMatch(/ECONNREFUSED|reach/);
    expect(output).not.toContain('hidden-word');
  });
});
