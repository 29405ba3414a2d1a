import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transformFile } from '@swc/core';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalPostgres, startLocalPostgres } from '../../src/platform/embedded/local-postgres.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

let home: string;
let dir: string;
let lines: string[];
const running: LocalPostgres[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'forecourt-local-')); // mode 0700
  dir = join(home, '.data', 'postgres');
  lines = [];
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  await rm(home, { recursive: true, force: true });
});

async function start(): Promise<LocalPostgres> {
  const server = await startLocalPostgres({ dir, log: (line) => lines.push(line) });
  running.push(server);
  return server;
}

async function query<R extends pg.QueryResultRow>(server: LocalPostgres, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.adminUrl });
  client.on('error', () => undefined); // the test may kill the server
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

const dataFolderOf = async (server: LocalPostgres): Promise<string> =>
  (await query<{ data_directory: string }>(server, 'SHOW data_directory'))[0]!.data_directory;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function keepsData(): Promise<void> {
  const first = await start();
  await query(first, 'CREATE TABLE kept (word text)');
  await query(first, `INSERT INTO kept VALUES ('yes')`);
  await first.stop();
  const second = await start();
  expect(await query(second, 'SELECT word FROM kept')).toEqual([{ word: 'yes' }]);
}

describe(`the local PostgreSQL, ${AS_ROOT ? 'started by root' : 'started by an ordinary user'}`, () => {
  it('keeps its data over two starts, below a folder that nobody else can enter', async () => {
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    await keepsData();
  });

  it('keeps its data over two starts, below a folder that everybody can enter', async () => {
    await chmod(home, 0o755);
    await mkdir(dir, { recursive: true, mode: 0o755 });
    await keepsData();
  });

  it('starts again after its server was killed, with everything that was committed', async () => {
    const first = await start();
    await query(first, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n');
    const lock = await readFile(join(await dataFolderOf(first), 'postmaster.pid'), 'utf8');
    process.kill(Number(lock.split('\n')[0]), 'SIGKILL');
    const second = await start();
    expect(await query(second, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 1000 }]);
  });

  it('stops the server of an earlier run that is still there, and says so', async () => {
    const first = await start();
    await query(first, 'CREATE TABLE kept (word text)');
    const second = await start();
    expect(lines.join('\n')).toContain('that an earlier run left behind');
    await expect(query(first, 'SELECT 1')).rejects.toThrow();
    expect(await query(second, 'SELECT word FROM kept')).toEqual([]);
  });

  it('is not stopped by a lock file that names the process of another program, nor harms that program', async () => {
    const first = await start();
    const data = await dataFolderOf(first);
    const lock = await readFile(join(data, 'postmaster.pid'), 'utf8');
    await first.stop();
    const other = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(other, 'spawn');
    await writeFile(join(data, 'postmaster.pid'), lock.replace(/^\d+/, String(other.pid)));
    const second = await start();
    expect(await query(second, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(isAlive(other.pid!)).toBe(true);
    other.kill();
  });

  it('listens on loopback only and asks for its password', async () => {
    const server = await start();
    expect(await query(server, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    const guess = new URL(server.adminUrl);
    guess.password = 'guess';
    const client = new pg.Client({ connectionString: guess.toString() });
    await expect(client.connect()).rejects.toThrow(/password authentication failed/);
    expect((await stat(join(dir, 'password'))).mode & 0o777).toBe(0o600);
  });
});

it('starts for root where user namespaces are not allowed, and says where the data is', async (context) => {
  if (!AS_ROOT) context.skip('this run is not root');
  const path = process.env.PATH;
  process.env.PATH = home; // no `unshare` there
  try {
    await keepsData();
  } finally {
    process.env.PATH = path;
  }
  const data = await dataFolderOf(running.at(-1)!);
  expect(lines[0]).toBe(
    `running as root without user namespaces: PostgreSQL runs as uid ${NOBODY}, its data is in ${data}`,
  );
  expect(data.startsWith(home)).toBe(false); // nobody may not enter it
  await Promise.all(running.splice(0).map((server) => server.stop()));
  await rm(dirname(data), { recursive: true });
});

it('starts as an ordinary user too', async (context) => {
  if (!AS_ROOT) context.skip('this run is an ordinary user: the tests above were it');
  const reachable =
    spawnSync('setpriv', asNobody('test', '-r', join(ROOT, 'node_modules/pg/package.json'))).status === 0;
  if (!reachable) context.skip('setpriv is missing, or the repository lies where other users cannot read it');
  const script = await compileStarter();
  await chmod(home, 0o755);
  const own = join(home, 'own');
  await mkdir(own);
  spawnSync('chown', [`${NOBODY}:${NOBODY}`, own]);
  const { stdout } = await promisify(execFile)('setpriv', asNobody(process.execPath, script, join(own, 'postgres')));
  expect(stdout.trim()).toBe(`uid ${NOBODY}, kept yes`);
});

const asNobody = (...command: string[]): string[] => [
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  ...command,
];

/** The starter as plain JavaScript beside the packages it needs, for a process that is not part of this test run. */
async function compileStarter(): Promise<string> {
  await writeFile(join(home, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  const folder = join(ROOT, 'src/platform/embedded');
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))) {
    const { code } = await transformFile(join(folder, file), {
      module: { type: 'es6' },
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    await writeFile(join(home, file.replace(/\.ts$/, '.js')), code);
  }
  const script = join(home, 'run.js');
  await writeFile(
    script,
    `import pg from 'pg';
     import { startLocalPostgres } from './local-postgres.js';
     const run = async (sql) => {
       const server = await startLocalPostgres({ dir: process.argv[2], log: () => undefined });
       const client = new pg.Client({ connectionString: server.adminUrl });
       await client.connect();
       const { rows } = await client.query(sql);
       await client.end();
       await server.stop();
       return rows;
     };
     await run("CREATE TABLE kept AS SELECT 'yes' AS word");
     const [row] = await run('SELECT word FROM kept');
     console.log(\`uid \${process.getuid()}, kept \${row.word}\`);`,
  );
  return script;
}
