import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stopLeftover } from './stop-leftover.js';

let dir: string;
let lines: string[];
const log = (line: string): void => {
  lines.push(line);
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'forecourt-leftover-'));
  lines = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('does nothing where there is no lock file', async () => {
  await stopLeftover(dir, log);
  expect(lines).toEqual([]);
});

it.each(['', 'not a number\n', '-1\n', '0\n', '1\n'])('removes a lock file that names no process: %j', async (text) => {
  await writeFile(join(dir, 'postmaster.pid'), text);
  await stopLeftover(dir, log);
  expect(await readdir(dir)).toEqual([]);
  expect(lines).toEqual([]);
});

it('leaves the lock file of a dead process to PostgreSQL, which looks for children that outlived it', async () => {
  await writeFile(join(dir, 'postmaster.pid'), '999999999\n');
  await stopLeftover(dir, log);
  expect(await readdir(dir)).toEqual(['postmaster.pid']);
});

it('leaves another program alone whose process number the lock file happens to name', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(other, 'spawn');
  await writeFile(join(dir, 'postmaster.pid'), `${String(other.pid)}\n`);
  await stopLeftover(dir, log);
  expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  expect(await readdir(dir)).toEqual([]);
  other.kill();
});
