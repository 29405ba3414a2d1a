import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';

/** A spool lies as `<id>.<host>.<process>.<start of the process>.spool`: whose it is can be told without opening it. */
const NAME = /^([0-9A-HJKMNP-TV-Z]{26})\.([A-Za-z0-9-]{1,64})\.(\d+)\.(\d+)\.spool$/;
/** After which time without a sign of life the spool of a process on another host is taken over. */
const ABANDONED_MS = 300_000;
const HOST =
  hostname()
    .replace(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 64) || 'host';

export interface Spool {
  readonly spoolId: string;
  readonly path: string;
}

/**
 * The folder of all spools on this machine. Each belongs to one process. What a process left behind that is gone is taken
 * over by renaming it: of several processes that try, one succeeds.
 */
export class SpoolFolder {
  constructor(readonly dir: string) {}

  /** A place for a new spool of this process. */
  async next(): Promise<Spool> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const spoolId = ulid();
    return { spoolId, path: this.ownPath(spoolId) };
  }

  /** Spools whose process is gone, oldest first; they are this process's from now on. */
  async takeOver(): Promise<readonly Spool[]> {
    const taken: Spool[] = [];
    for (const name of await this.names()) {
      const [, spoolId, host, pid, start] = NAME.exec(name) ?? [];
      if (spoolId === undefined || (await this.isHeld(name, host, Number(pid), start))) continue;
      const path = this.ownPath(spoolId);
      const won = await rename(join(this.dir, name), path).then(
        () => true,
        () => false,
      );
      if (won) taken.push({ spoolId, path });
    }
    return taken;
  }

  /** Shows processes on other hosts that the spools of this one are not abandoned. */
  async keepAlive(): Promise<void> {
    const mine = (await this.names()).filter((name) => name.endsWith(OWN_END));
    const now = new Date();
    await Promise.all(mine.map((name) => utimes(join(this.dir, name), now, now).catch(() => undefined)));
  }

  private ownPath(spoolId: string): string {
    return join(this.dir, `${spoolId}${OWN_END}`);
  }

  private async names(): Promise<readonly string[]> {
    const names = await readdir(this.dir).catch(() => []);
    return names.filter((name) => NAME.test(name)).toSorted();
  }

  private async isHeld(
    name: string,
    host: string | undefined,
    pid: number,
    start: string | undefined,
  ): Promise<boolean> {
    if (host === HOST) return startOf(pid) === start;
    const { mtimeMs } = await stat(join(this.dir, name)).catch(() => ({ mtimeMs: Infinity }));
    return Date.now() - mtimeMs < ABANDONED_MS;
  }
}

const OWN_END = `.${HOST}.${process.pid}.${startOf(process.pid)}.spool`;

/** When a process started, in ticks since the machine did: tells it from a later one with its number. Undefined when gone. */
function startOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return alive(pid) ? '0' : undefined; // without /proc a live process is believed
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
