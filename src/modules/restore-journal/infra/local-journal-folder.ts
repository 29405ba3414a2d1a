import { type FileHandle, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalStorage, SegmentWriter } from '../app/journal-storage.js';

const NAME = /^([0-9A-HJKMNP-TV-Z]{26})\.journal$/;

/** One file for each segment: `<segment id>.journal`. */
export class LocalJournalFolder implements JournalStorage {
  /** @param makes create the folder where it is missing. Not where a mount that is missing would be covered up by it. */
  constructor(
    private readonly dir: string,
    private readonly makes: boolean,
  ) {}

  async create(segmentId: string, head: string): Promise<SegmentWriter> {
    if (this.makes) await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const writer = new SegmentFile(await open(this.pathOf(segmentId), 'ax', 0o600));
    try {
      await writer.append([head]);
      await syncFolder(this.dir);
      return writer;
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  async list(): Promise<readonly string[]> {
    const names = await readdir(this.dir).catch((error: unknown) => {
      if (this.makes && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    });
    return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).toSorted();
  }

  read(segmentId: string): Promise<Buffer> {
    return readFile(this.pathOf(segmentId));
  }

  async tail(segmentId: string, most: number): Promise<{ readonly bytes: Buffer; readonly whole: boolean }> {
    const handle = await open(this.pathOf(segmentId), 'r');
    try {
      const { size } = await handle.stat();
      const length = Math.min(size, most);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
      return { bytes: buffer.subarray(0, bytesRead), whole: length === size };
    } finally {
      await handle.close();
    }
  }

  private pathOf(segmentId: string): string {
    return join(this.dir, `${segmentId}.journal`);
  }
}

/** Lines are forced to the disk before anybody hears of them. What was not written wholly is cut off again. */
class SegmentFile implements SegmentWriter {
  private durable = 0;
  broken = false;

  constructor(private readonly handle: FileHandle) {}

  async append(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    try {
      for (let at = 0; at < bytes.length;) at += (await this.handle.write(bytes, at)).bytesWritten;
      await this.handle.sync();
      this.durable += bytes.length;
    } catch (error) {
      await this.cutBack();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.broken = true;
    await this.handle.close();
  }

  /** What a failed sync left is uncertain: nothing more is written behind it. */
  private async cutBack(): Promise<void> {
    try {
      await this.handle.truncate(this.durable);
      await this.handle.sync();
    } catch {
      this.broken = true;
    }
  }
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
