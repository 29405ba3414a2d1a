import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const STOP_TIMEOUT_MS = 20_000;

/**
 * Deals with the lock file of an earlier run: a server that still runs on this data is asked to stop and waited for; a file
 * whose number belongs to another program now is removed, because PostgreSQL would believe it. The file of a dead process
 * is left to PostgreSQL, which also looks for children that outlived it.
 */
export async function stopLeftover(dataDir: string, log: (line: string) => void): Promise<void> {
  const lockFile = join(dataDir, 'postmaster.pid');
  const lock = await readFile(lockFile, 'utf8').catch(() => undefined);
  if (lock === undefined) return;
  const pid = Number(lock.split('\n', 1)[0]);
  const readable = Number.isInteger(pid) && pid > 1;
  if (readable && !isAlive(pid)) return;
  if (readable && (await servesData(pid, dataDir))) {
    log(`stopping the PostgreSQL that an earlier run left behind (process ${pid})`);
    process.kill(pid, 'SIGINT');
    await waitForEnd(pid);
  } else await rm(lockFile, { force: true });
}

async function waitForEnd(pid: number): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} still uses the local database; stop it and start again`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether the process is a PostgreSQL of this very data folder: after a restart the number may be another server's. */
async function servesData(pid: number, dataDir: string): Promise<boolean> {
  const fromProc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  const command =
    fromProc?.replaceAll('\0', ' ') ??
    (await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))).stdout;
  return command.includes('postgres') && command.includes(dataDir);
}
