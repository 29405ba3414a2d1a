import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { locatePostgres } from './postgres-binaries.js';
import { stopLeftover } from './stop-leftover.js';
import type { Unprivileged } from './unprivileged.js';
import { findUnprivileged } from './unprivileged.js';

const ADMIN = 'forecourt_admin';
const DATABASE = 'forecourt';
const START_TIMEOUT_MS = 30_000;
const CHILDREN_END_MS = 10_000;

export interface LocalPostgres {
  /** Connects as the cluster's superuser: migrations and the local profile only. */
  readonly adminUrl: string;
  readonly port: number;
  /** The URL of another database of this cluster. */
  urlOf(database: string): string;
  stop(): Promise<void>;
}

export interface LocalPostgresOptions {
  readonly dir: string;
  readonly log: (line: string) => void;
  /** Extra server settings, `name=value`. */
  readonly settings?: readonly string[];
}

/**
 * Starts the embedded PostgreSQL 18 on a free loopback port, initialising its data on the first run. A server that a killed
 * run left behind is stopped first; a stale lock does not prevent the start.
 */
export async function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const dir = resolve(options.dir);
  const binaries = await locatePostgres();
  const unprivileged = await findUnprivileged(binaries.root, join(dir, 'data'));
  if (unprivileged.note !== undefined) options.log(unprivileged.note);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const password = await readPassword(dir);
  await initialise(unprivileged, dir, password, options.log);
  await stopLeftover(unprivileged.dataDir, options.log);
  const port = await freePort();
  const urlOf = (database: string): string => `postgres://${ADMIN}:${password}@127.0.0.1:${port}/${database}`;
  const launch = (): Promise<ChildProcess> =>
    launchUntilReady(unprivileged, dir, port, options.settings ?? [], urlOf('postgres'));
  const server = await outliveChildren(launch, await exists(join(unprivileged.dataDir, 'postmaster.pid')));
  await ensureDatabase(urlOf('postgres'));
  return { adminUrl: urlOf(DATABASE), port, urlOf, stop: () => stopServer(server) };
}

/**
 * A killed server's children take a moment to notice and end; until then PostgreSQL rightly refuses the data. Only where a
 * dead server's lock was found is the start tried again.
 */
async function outliveChildren(launch: () => Promise<ChildProcess>, killedBefore: boolean): Promise<ChildProcess> {
  const deadline = Date.now() + (killedBefore ? CHILDREN_END_MS : 0);
  for (;;) {
    try {
      return await launch();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
      await new Promise((done) => setTimeout(done, 250));
    }
  }
}

async function launchUntilReady(
  unprivileged: Unprivileged,
  dir: string,
  port: number,
  settings: readonly string[],
  url: string,
): Promise<ChildProcess> {
  const server = launchServer(unprivileged, dir, port, settings);
  await waitUntilReady(url, server, join(dir, 'postgres.log'));
  return server;
}

async function readPassword(dir: string): Promise<string> {
  const file = join(dir, 'password');
  const existing = await readFile(file, 'utf8').catch(() => '');
  if (existing !== '') return existing.trim();
  const fresh = randomBytes(24).toString('base64url');
  await writeFile(file, `${fresh}\n`, { mode: 0o600 });
  return fresh;
}

async function initialise(
  unprivileged: Unprivileged,
  dir: string,
  password: string,
  log: (line: string) => void,
): Promise<void> {
  const { dataDir } = unprivileged;
  if (await exists(join(dataDir, 'PG_VERSION'))) return;
  log('initialising the local PostgreSQL');
  await rm(join(dataDir, 'base'), { recursive: true, force: true }); // what an interrupted first run left
  const passwordFile = join(dataDir, '..', 'initdb-password');
  await mkdir(join(dataDir, '..'), { recursive: true });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o644 });
  try {
    await run(unprivileged, join(unprivileged.root, 'native/bin/initdb'), [
      '-D',
      dataDir,
      '-U',
      ADMIN,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--locale=C.UTF-8',
      '--no-instructions',
    ]);
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function launchServer(
  unprivileged: Unprivileged,
  dir: string,
  port: number,
  settings: readonly string[],
): ChildProcess {
  const flags = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=120',
    'shared_buffers=256MB',
    ...settings,
  ].flatMap((s) => ['-c', s]);
  const { command, args, ...identity } = unprivileged.launch(join(unprivileged.root, 'native/bin/postgres'), [
    '-D',
    unprivileged.dataDir,
    '-p',
    String(port),
    ...flags,
  ]);
  const server = spawn(command, args, { ...identity, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const log = createWriteStream(join(dir, 'postgres.log'), { flags: 'a', mode: 0o600 });
  server.stdout.pipe(log, { end: false });
  server.stderr.pipe(log, { end: false });
  return server;
}

async function waitUntilReady(url: string, server: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the local PostgreSQL stopped at once; see ${logFile}`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    client.on('error', () => undefined); // not ready yet: the loop tries again
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      if (Date.now() > deadline)
        throw new Error(`the local PostgreSQL did not answer within ${START_TIMEOUT_MS / 1000} s; see ${logFile}`, {
          cause,
        });
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** Fast shutdown: open transactions are rolled back, data is flushed. */
async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<void>((done) => server.once('exit', () => done()));
  server.kill('SIGINT');
  const timer = setTimeout(() => server.kill('SIGQUIT'), 15_000);
  await ended;
  clearTimeout(timer);
}

async function run(unprivileged: Unprivileged, program: string, programArgs: readonly string[]): Promise<void> {
  const { command, args, ...identity } = unprivileged.launch(program, programArgs);
  const child = spawn(command, args, { ...identity, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('exit', done);
  });
  if (code !== 0) throw new Error(`${program} failed: ${stderr.trim().slice(-2000)}`);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
