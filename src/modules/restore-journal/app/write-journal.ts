import { ulid } from 'ulid';
import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { JournalEntry, RestoreJournal } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { type JournalKey, subjectHashOf } from '../domain/journal-key.js';
import { type Confirmation, hashOfLine, sealLine, type SegmentHead, segmentHeadLine } from '../domain/journal-line.js';
import type { EntryPlace, JournalMarks } from './journal-marks.js';
import type { JournalStorage, SegmentWriter } from './journal-storage.js';

interface Waiting {
  readonly entry: JournalEntry | Confirmation;
  readonly resolve: (place: Written) => void;
  readonly reject: (error: unknown) => void;
}

interface OpenSegment {
  readonly segmentId: string;
  writer: SegmentWriter | undefined;
  head: SegmentHead;
}

export type Written = SegmentHead & { readonly segmentId: string };

export interface WriteJournalParts {
  /** Undefined where no folder is configured: then nothing can be written. */
  readonly storage: JournalStorage | undefined;
  /** The one in use first; none where none is configured. */
  readonly keys: readonly JournalKey[];
  readonly marks: JournalMarks;
  readonly clock: Clock;
}

/**
 * The journal of this process: a segment of its own, begun with the first entry, so that processes never meet in a file.
 * Entries of the same moment are announced, written and forced to the disk together (decision record 0048).
 */
export class WriteJournal implements RestoreJournal {
  private waiting: Waiting[] = [];
  private working: Promise<void> | undefined;
  private segment: OpenSegment | undefined;
  private releases: EntryPlace[] = [];

  constructor(private readonly parts: WriteJournalParts) {}

  append(entry: JournalEntry, tx?: TenantTransaction): Promise<void> {
    return this.appendWithin(LIMITS.journalWaitMs.value, entry, tx);
  }

  /** As {@link append}, with another patience. Milliseconds. */
  async appendWithin(waitMs: number, entry: JournalEntry, tx?: TenantTransaction): Promise<void> {
    const written = await within(waitMs, this.write(entry));
    await this.parts.marks.note([written], tx);
    if (entry.kind === 'hold.released' && tx !== undefined) this.releases.push(written);
  }

  subjectHash(organizationId: string, subject: string): string {
    return subjectHashOf(this.key(), organizationId, subject);
  }

  subjectHashes(organizationId: string, subject: string): readonly string[] {
    return this.parts.keys.map((key) => subjectHashOf(key, organizationId, subject));
  }

  /** Confirms releases whose transactions have committed: only those are replayed. Run every few seconds and at the end. */
  async confirmReleases(): Promise<void> {
    if (this.releases.length === 0) return;
    for (const { segmentId, seq } of await this.parts.marks.committed(this.releases)) {
      await this.write({ kind: 'confirmed', segmentId, seq });
      this.releases = this.releases.filter((one) => one.segmentId !== segmentId || one.seq !== seq);
    }
    this.releases = this.releases.slice(-LIMITS.journalUnconfirmed.value); // those that never commit
  }

  async close(): Promise<void> {
    await this.working;
    await this.segment?.writer?.close();
    this.segment = undefined;
  }

  private write(entry: JournalEntry | Confirmation): Promise<Written> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ entry, resolve, reject });
      this.working ??= this.work();
    });
  }

  private async work(): Promise<void> {
    await new Promise((done) => setImmediate(done)); // gathers what comes in the same turn
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0);
      await this.writeBatch(batch).catch((error: unknown) => {
        for (const one of batch) one.reject(journalFailure('restore_journal_not_written', error));
      });
    }
    this.working = undefined;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<void> {
    const { marks, clock } = this.parts;
    const key = this.key();
    const segment = this.openSegment(key);
    await marks.promise(segment.segmentId, segment.head.seq + batch.length);
    const writer = (segment.writer ??= await this.create(segment.segmentId, key));
    const at = new Date(clock.now()).toISOString();
    const lines: string[] = [];
    const heads: SegmentHead[] = [];
    let head = segment.head;
    for (const { entry } of batch) {
      const line = sealLine(key, segment.segmentId, head, { at, entry });
      head = { seq: head.seq + 1, hash: hashOfLine(line) };
      lines.push(line);
      heads.push(head);
    }
    await writer.append(lines);
    segment.head = head;
    for (const [i, one] of batch.entries()) one.resolve({ segmentId: segment.segmentId, ...(heads[i] ?? head) });
  }

  /** A segment that the disk failed is left as it is, and another one begun. */
  private openSegment(key: JournalKey): OpenSegment {
    if (this.segment === undefined || this.segment.writer?.broken === true) {
      const segmentId = ulid();
      const hash = hashOfLine(segmentHeadLine(segmentId, key.keyId));
      this.segment = { segmentId, writer: undefined, head: { seq: 0, hash } };
    }
    return this.segment;
  }

  private async create(segmentId: string, key: JournalKey): Promise<SegmentWriter> {
    try {
      const storage = this.parts.storage;
      if (storage === undefined) throw new Error('RESTORE_JOURNAL_DIR is not set');
      return await storage.create(segmentId, segmentHeadLine(segmentId, key.keyId));
    } catch (error) {
      this.segment = undefined; // a file may have been begun under this name
      throw error;
    }
  }

  private key(): JournalKey {
    const [key] = this.parts.keys;
    if (key === undefined || this.parts.storage === undefined) throw journalFailure('restore_journal_not_configured');
    return key;
  }
}

/** A disk that hangs must not hold a transaction for ever. What it writes later is an entry without its change. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(journalFailure('restore_journal_silent'));
    }, ms);
  });
  work.catch(() => undefined); // nobody waits for it any more when it is late
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const journalFailure = (auditReason: string, cause?: unknown): Failure =>
  cause instanceof Failure
    ? cause
    : new Failure('upstream.unavailable', { retryAfterMs: LIMITS.journalRetryMs.value, auditReason, cause });
