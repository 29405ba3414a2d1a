import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps two processes from using one data folder. The lock of a process that is gone, or whose number now belongs to
 * another program, does not count.
 * @throws Error when a live process holds it.
 */
export function takeInstanceLock(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'forecourt.lock');
  const holder = Number(read(file));
  if (Number.isInteger(holder) && holder > 0 && holder !== process.pid && isForecourt(holder)) {
    throw new Error(`process ${holder} already runs on ${dataDir}; stop it first, or set DATA_DIR to another folder`);
  }
  writeFileSync(file, String(process.pid));
  return () => {
    if (read(file) === String(process.pid)) rmSync(file, { force: true });
  };
}

function isForecourt(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = read(`/proc/${pid}/cmdline`);
  return commandLine === undefined || commandLine.includes('main.js'); // without /proc a live process is believed
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
