import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WitnessState } from '../../app/witness/witness.js';

/** More logs than a dealer group has: whoever has a log's key fills no disk. */
const LOGS_MAX = 1000;

/**
 * One file for each log: its newest cosigned note, which `audit verify --kept` takes as it is. A file is replaced whole, and is
 * on the disk with its name before `save` resolves. Beside it, where the log showed another history, what it showed.
 */
export class WitnessFolder implements WitnessState {
  private constructor(private readonly folder: string) {}

  static async open(folder: string): Promise<WitnessFolder> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const drafts = (await readdir(folder)).filter((name) => name.endsWith('.part')); // of a process that was killed
    await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })));
    return new WitnessFolder(folder);
  }

  async load(origin: string): Promise<string | undefined> {
    try {
      return await readFile(this.fileOf(origin), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async save(origin: string, note: string): Promise<void> {
    const file = this.fileOf(origin);
    await this.requireRoom(origin);
    const draft = `${file}.${randomUUID()}.part`;
    await written(draft, 'wx', note);
    await rename(draft, file);
    await written(this.folder, 'r'); // the name, too
  }

  async keepRefused(origin: string, note: string): Promise<void> {
    try {
      await written(`${this.fileOf(origin)}.refused`, 'wx', note);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }

  private async requireRoom(origin: string): Promise<void> {
    if ((await this.load(origin)) !== undefined) return;
    const notes = (await readdir(this.folder)).filter((name) => name.endsWith('.note'));
    if (notes.length >= LOGS_MAX) throw new Error(`the witness has ${LOGS_MAX} logs already`);
  }

  /** Readable where the name allows; the hash keeps names apart whatever they contain. */
  private fileOf(origin: string): string {
    const readable = origin.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80);
    return join(this.folder, `${readable}.${createHash('sha256').update(origin).digest('hex').slice(0, 16)}.note`);
  }
}

async function written(path: string, flags: 'wx' | 'r', text?: string): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
