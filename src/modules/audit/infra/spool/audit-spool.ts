import { rm, stat } from 'node:fs/promises';
import type { DatabasePresence } from '../../../../kernel/ports/database-presence.js';
import type { AuditLine } from '../append-statement.js';
import type { DrainSpool } from './drain-spool.js';
import { SpoolFile } from './spool-file.js';
import type { Spool, SpoolFolder } from './spool-folder.js';

const LOOK_AROUND_EVERY = 10;

interface Open extends Spool {
  readonly file: SpoolFile;
}

/** How much lies on the disk and is not in the trail yet. */
export interface SpoolStatus {
  readonly bytes: number;
  /** Spools that wait, the one that is being written included. */
  readonly files: number;
}

/**
 * Keeps audit records on the local disk while the database is away, and brings them into the trail when it is back: also
 * those that another process left behind.
 */
export class AuditSpool {
  private current: Promise<Open> | undefined;
  private written: SpoolFile | undefined;
  private left: readonly Spool[] = [];
  private rounds = 0;

  constructor(
    private readonly folder: SpoolFolder,
    private readonly drainSpool: DrainSpool,
    private readonly presence: Pick<DatabasePresence, 'away'>,
    private readonly mostBytes: number,
    private readonly log: { log(message: string): void; warn(message: string): void },
  ) {}

  /** @throws Failure `upstream.unavailable` when the spool is full or the disk does not take it. */
  async append(line: AuditLine): Promise<void> {
    this.current ??= this.open();
    const current = await this.current.catch((error: unknown) => {
      this.current = undefined;
      throw error;
    });
    if (current.file.broken) this.current = undefined;
    await current.file.append(line);
  }

  /** Run every second. @throws Error of the database or the disk; the next run goes on from there. */
  async drain(): Promise<void> {
    if (this.presence.away) return;
    if (this.rounds++ % LOOK_AROUND_EVERY === 0) {
      this.left = [...this.left, ...(await this.folder.takeOver())];
      await this.folder.keepAlive();
    }
    await this.retire();
    for (const spool of this.left) {
      await this.drainOne(spool);
      this.left = this.left.filter((one) => one !== spool);
    }
  }

  private async drainOne(spool: Spool): Promise<void> {
    const file = await stat(spool.path).catch(() => undefined);
    if (file === undefined) {
      this.log.warn(`the spool ${spool.path} is gone, and its audit records with it`);
      return;
    }
    await this.drainSpool.run(spool, file.size, true);
    await rm(spool.path, { force: true });
    await this.drainSpool.forget(spool.spoolId);
    this.log.log(`the audit records kept in ${spool.path} are in the trail`);
  }

  status(): SpoolStatus {
    const bytes = this.written?.durableBytes ?? 0;
    return { bytes, files: this.left.length + (this.current === undefined ? 0 : 1) };
  }

  /** What is on the disk stays there for the next process. */
  async close(): Promise<void> {
    await (await this.current?.catch(() => undefined))?.file.close();
  }

  private async open(): Promise<Open> {
    const spool = await this.folder.next();
    this.log.warn(`audit records of published retail are kept in ${spool.path} until the database is back`);
    const file = new SpoolFile(spool.path, this.mostBytes);
    this.written = file;
    return { ...spool, file };
  }

  /** The file that is being written takes nothing more, so that it can be drained to its end. */
  private async retire(): Promise<void> {
    if (this.current === undefined) return;
    const open = await this.current;
    this.current = undefined;
    await open.file.close();
    this.written = undefined;
    if (open.file.durableBytes > 0) this.left = [...this.left, open];
    else await open.file.remove();
  }
}
