// The service under test: a process of its own over an embedded database in a temporary folder, with the demo group in it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE_MS = 180_000;
const ORGANIZATION = 'org.harbor-auto-group';

/** Starts the compiled entry and waits until it says that it is ready. */
export async function startDemoService(entry) {
  const dataDir = mkdtempSync(join(tmpdir(), 'forecourt-suites-'));
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    FORECOURT_PROFILE: 'local',
    FORECOURT_DEMO: 'on',
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    ANONYMOUS_CALLS_PER_MINUTE: '100000',
    ROOFTOP_CALLS_PER_MINUTE: '1000000',
    BAD_CREDENTIALS_BEFORE_PAUSE: '1000000',
    MISSES_BEFORE_PAUSE: '1000000',
  };
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((done) => child.once('close', done));
  await untilReady(child, ended);
  return {
    origin: `http://127.0.0.1:${port}`,
    organizationId: ORGANIZATION,
    agentToken: readFileSync(join(dataDir, 'agent.key'), 'utf8').trim(),
    endpoint: `http://127.0.0.1:${port}/organizations/${ORGANIZATION}/mcp`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function untilReady(child, ended) {
  let written = '';
  const ready = new Promise((done) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        written += text;
        if (written.includes('Forecourt is ready.')) done('ready');
      });
  });
  const late = new Promise((done) => setTimeout(done, PATIENCE_MS, 'late').unref());
  const first = await Promise.race([ready, late, ended.then(() => 'ended')]);
  if (first === 'ready') return;
  child.kill('SIGKILL');
  throw new Error(`the service did not become ready (${first}):\n${written}`);
}

async function freePort() {
  const probe = createServer();
  await new Promise((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}
