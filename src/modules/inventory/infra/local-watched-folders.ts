import type { Stats } from 'node:fs';
import { constants, createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { Clock } from '../../../kernel/time.js';
import type { TakenFile, WatchedFolders } from '../app/watched-folder.js';

const SETTLE_MS = 2000;
/** After this long a taken file whose process is gone is taken again. */
const ABANDONED_MS = 600_000;
/** How others name files that they are still writing. */
const UNFINISHED = /^\.|\.(?:part|partial|filepart|tmp|temp|crdownload|swp|lock)$/i;
const SAFE_SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const ASIDE = { taken: '.taken', processed: 'processed', failed: 'failed' } as const;

/**
 * Watches `<root>/<organization>/<folder>`. A file is taken by renaming it, so that of several processes one gets it, and
 * put aside under `processed` or `failed` when it is done.
 */
export class LocalWatchedFolders implements WatchedFolders {
  /** What each file looked like when it was first seen so. */
  private readonly seen = new Map<string, { readonly look: string; readonly since: number }>();

  constructor(
    private readonly root: string,
    private readonly clock: Clock,
  ) {}

  async takeSettled(organizationId: string, folder: string): Promise<readonly TakenFile[]> {
    const path = await this.openFolder(organizationId, folder);
    const taken: TakenFile[] = [];
    const names = await readdir(path);
    this.forgetGone(path, new Set(names));
    for (const name of names) {
      if (UNFINISHED.test(name) || name === ASIDE.processed || name === ASIDE.failed) continue;
      const file = await this.takeIfSettled(path, name);
      if (file !== undefined) taken.push(file);
    }
    return [...taken, ...(await this.takeAbandoned(path))];
  }

  /** @throws Error for a folder that leads out of the root, by its name or by a link on the way. */
  private async openFolder(organizationId: string, folder: string): Promise<string> {
    const segments = [organizationId, ...folder.split('/')];
    if (!segments.every((segment) => SAFE_SEGMENT.test(segment) && !segment.includes('..')))
      throw new Error('not a name of a watched folder');
    const path = join(this.root, ...segments);
    await mkdir(path, { recursive: true });
    const real = await realpath(path);
    const realRoot = await realpath(this.root);
    if (!real.startsWith(realRoot + sep) || real !== join(realRoot, ...segments))
      throw new Error('a watched folder must not be reached through a link');
    for (const aside of Object.values(ASIDE)) await mkdir(join(path, aside), { recursive: true });
    return path;
  }

  private async takeIfSettled(folder: string, name: string): Promise<TakenFile | undefined> {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined || stats.isDirectory()) return undefined;
    if (!stats.isFile()) {
      await putAside(folder, path, name, this.clock.now(), 'links and special files are not read');
      return undefined;
    }
    return this.hasSettled(path, stats) ? this.take(folder, name) : undefined;
  }

  private forgetGone(folder: string, names: ReadonlySet<string>): void {
    for (const path of this.seen.keys())
      if (dirname(path) === folder && !names.has(basename(path))) this.seen.delete(path);
  }

  private hasSettled(path: string, stats: Stats): boolean {
    const look = `${stats.size}/${stats.mtimeMs}/${stats.ino}`;
    const known = this.seen.get(path);
    const now = this.clock.now();
    if (known?.look !== look) {
      this.seen.set(path, { look, since: now });
      return false;
    }
    return now - known.since >= SETTLE_MS;
  }

  private async take(folder: string, name: string): Promise<TakenFile | undefined> {
    this.seen.delete(join(folder, name));
    const takenAs = `${this.clock.now()}-${name}`;
    const path = join(folder, ASIDE.taken, takenAs);
    try {
      await rename(join(folder, name), path);
    } catch {
      return undefined; // another process was faster
    }
    return this.taken(folder, path, name);
  }

  private taken(folder: string, path: string, name: string): TakenFile {
    return {
      name,
      chunks: () => readWithoutLinks(path),
      processed: () => rename(path, join(folder, ASIDE.processed, `${this.clock.now()}-${name}`)),
      putBack: () => rename(path, join(folder, name)),
      failed: (reason) => putAside(folder, path, name, this.clock.now(), reason),
    };
  }

  /** Files of a process that ended between taking and finishing. Touching them first keeps other processes off. */
  private async takeAbandoned(folder: string): Promise<readonly TakenFile[]> {
    const files: TakenFile[] = [];
    for (const takenAs of await readdir(join(folder, ASIDE.taken))) {
      const path = join(folder, ASIDE.taken, takenAs);
      const stats = await lstat(path).catch(() => undefined);
      if (stats === undefined || Date.now() - stats.ctimeMs < ABANDONED_MS) continue; // ctime is the system's clock
      await utimes(path, new Date(), new Date()).catch(() => undefined);
      files.push(this.taken(folder, path, takenAs.replace(/^\d+-/, '')));
    }
    return files;
  }
}

async function putAside(folder: string, path: string, name: string, now: number, reason: string): Promise<void> {
  const target = join(folder, ASIDE.failed, `${now}-${name}`);
  await rename(path, target);
  await writeFile(`${target}.reason.txt`, `${reason}\n`);
}

/** Opens what was looked at, and nothing that has taken its place as a link meanwhile. */
async function* readWithoutLinks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  yield* createReadStream(path, { fd: file, highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>;
}
