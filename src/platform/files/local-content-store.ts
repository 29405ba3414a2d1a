import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../kernel/failure/failure.js';
import { LIMITS } from '../../kernel/limits.js';
import type { ContentStore, StoredContent } from '../../kernel/ports/content-store.js';

/** About fifty rows: what is read without giving the event loop to calls and to the database's answers. */
const READ_BYTES = 32_768;
/** Where files are until they are whole, and those that are about to go. */
const INCOMING = 'incoming';
const ASIDE = 'removed-';
const STORAGE_KEY = /^[a-f0-9]{2}\/[a-f0-9]{64}$/;

/** Keeps files in a folder, one subfolder for each organization: `<organization>/<first two digits>/<digest>`. */
export class LocalContentStore implements ContentStore {
  constructor(
    private readonly root: string,
    private readonly maxBytes: number = LIMITS.uploadBytes.value,
  ) {}

  async put(organizationId: string, chunks: AsyncIterable<Uint8Array>): Promise<StoredContent> {
    const folder = join(this.root, organizationId);
    await mkdir(join(folder, INCOMING), { recursive: true, mode: 0o700 });
    const temporary = join(folder, INCOMING, randomUUID());
    try {
      const { sha256, bytes } = await this.write(temporary, chunks);
      const storageKey = `${sha256.slice(0, 2)}/${sha256}`;
      await moveDurably(temporary, join(folder, storageKey));
      return { sha256, bytes, storageKey };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  open(organizationId: string, storageKey: string): { chunks(): AsyncIterable<Uint8Array> } {
    const path = this.pathOf(organizationId, storageKey);
    return { chunks: () => createReadStream(path, { highWaterMark: READ_BYTES }) };
  }

  /** The file is moved aside before it goes: one that is put at the same moment is seen and put back. */
  async remove(organizationId: string, storageKey: string, unusedMs: number): Promise<'removed' | 'absent' | 'in_use'> {
    const path = this.pathOf(organizationId, storageKey);
    const aside = join(this.root, organizationId, INCOMING, `${ASIDE}${basename(path)}`);
    const isNew = async (file: string): Promise<boolean> => Date.now() - (await stat(file)).mtimeMs < unusedMs;
    const found = await whereThere(isNew(path));
    if (found === true) return 'in_use';
    if (found === false) await moveDurably(path, aside);
    else if ((await whereThere(stat(aside))) === undefined) return 'absent';
    if (found === false && (await isNew(aside))) {
      await link(aside, path).catch(unless('EEXIST'));
      await rm(aside);
      return 'in_use';
    }
    await rm(aside);
    await syncFolder(dirname(aside));
    return 'removed';
  }

  /**
   * Every file that was not put within the last `unusedMs`, of all organizations. What a process that died left half-written
   * goes on the way: nobody can have it.
   */
  async *unused(unusedMs: number): AsyncGenerator<{ organizationId: string; storageKey: string }, void, undefined> {
    const isOld = async (file: string): Promise<boolean> =>
      (await whereThere(stat(file).then(({ mtimeMs }) => Date.now() - mtimeMs >= unusedMs))) === true;
    for (const organizationId of (await whereThere(readdir(this.root))) ?? []) {
      const folder = join(this.root, organizationId);
      for (const digits of await readdir(folder)) {
        for (const name of await readdir(join(folder, digits))) {
          const storageKey = `${digits}/${name}`;
          if (!(await isOld(join(folder, storageKey)))) continue;
          if (STORAGE_KEY.test(storageKey)) yield { organizationId, storageKey };
          else if (digits === INCOMING && !name.startsWith(ASIDE)) await rm(join(folder, storageKey), { force: true });
        }
      }
    }
  }

  private pathOf(organizationId: string, storageKey: string): string {
    if (!STORAGE_KEY.test(storageKey)) throw new Error('not a storage key of this store');
    return join(this.root, organizationId, storageKey);
  }

  private async write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<{ sha256: string; bytes: number }> {
    const hash = createHash('sha256');
    let bytes = 0;
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > this.maxBytes) throw new Failure('input.too_large');
        hash.update(chunk);
        await writeWhole(file, chunk);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { sha256: hash.digest('hex'), bytes };
  }
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
}

/** After this the file has its name even if the machine stops now. */
async function moveDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await syncFolder(dirname(to));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** @returns undefined where there is no such file */
const whereThere = <T>(looking: Promise<T>): Promise<T | undefined> => looking.catch(unless('ENOENT'));

const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
    return undefined;
  };
