import { type FileHandle, open, rm } from 'node:fs/promises';
import { Failure } from '../../../../kernel/failure/failure.js';
import type { AuditLine } from '../append-statement.js';
import { encodeSpoolRecord } from './spool-record.js';

interface Waiting {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (failure: Failure) => void;
}

/**
 * A file that takes records while the database is away. Records of the same moment are written and forced to the disk
 * together; a caller hears of it only then. What could not be written wholly is cut off again, so that the file ends with
 * a whole record.
 */
export class SpoolFile {
  private waiting: Waiting[] = [];
  private working: Promise<void> | undefined;
  private handle: FileHandle | undefined;
  private written = 0;
  private accepted = 0;
  /** Takes nothing more: it is closed, or the disk failed in a way that could not be undone. */
  broken = false;

  /** @param mostBytes what does not fit is refused */
  constructor(
    readonly path: string,
    private readonly mostBytes: number,
  ) {}

  /** How far the file is certain to be on the disk. Bytes. */
  get durableBytes(): number {
    return this.written;
  }

  /** @throws Failure `upstream.unavailable` when the file is full or the disk does not take it. */
  append(line: AuditLine): Promise<void> {
    const bytes = encodeSpoolRecord(line);
    if (this.broken || this.accepted + bytes.length > this.mostBytes)
      return Promise.reject(spoolFailure(this.broken ? 'audit_spool_closed' : 'audit_spool_full'));
    this.accepted += bytes.length;
    return new Promise((resolve, reject) => {
      this.waiting.push({ bytes, resolve, reject });
      this.working ??= this.work();
    });
  }

  /** Closes the file for good; records that wait are written first. */
  async close(): Promise<void> {
    this.broken = true;
    await this.working;
    await this.handle?.close();
    this.handle = undefined;
  }

  /** Removes the file. For one whose records are all in the database. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  private async work(): Promise<void> {
    await new Promise((done) => setImmediate(done)); // gathers what comes in the same turn
    while (this.waiting.length > 0) await this.write(this.waiting.splice(0));
    this.working = undefined;
  }

  private async write(batch: readonly Waiting[]): Promise<void> {
    const bytes = Buffer.concat(batch.map((one) => one.bytes));
    try {
      this.handle ??= await open(this.path, 'ax', 0o600);
      await writeAll(this.handle, bytes, this.written);
      await this.handle.datasync();
      this.written += bytes.length;
      for (const one of batch) one.resolve();
    } catch (cause) {
      await this.cutBack();
      this.accepted -= bytes.length;
      for (const one of batch) one.reject(spoolFailure('audit_spool_not_written', cause));
    }
  }

  private async cutBack(): Promise<void> {
    try {
      await this.handle?.truncate(this.written);
    } catch {
      this.broken = true; // what lies behind the last whole record is found by its checksum when the file is drained
    }
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

const spoolFailure = (auditReason: string, cause?: unknown): Failure =>
  new Failure('upstream.unavailable', { retryAfterMs: 2000, auditReason, cause });
