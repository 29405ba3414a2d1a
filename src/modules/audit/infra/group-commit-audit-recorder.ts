import type pg from 'pg';
import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { DatabasePresence } from '../../../kernel/ports/database-presence.js';
import { ALWAYS_PRESENT } from '../../../kernel/ports/database-presence.js';
import type { AuditRecord, AuditRecorder, WhenAway } from '../../../kernel/ports/audit-recorder.js';
import { auditLine } from '../domain/canonical-record.js';
import { appendFailure } from './append-failure.js';
import type { AuditLine } from './append-statement.js';
import { appendStatement } from './append-statement.js';
import type { NoncePool } from './nonce-pool.js';

interface WaitingRecord extends AuditLine {
  readonly whenAway: WhenAway;
  readonly resolve: () => void;
  readonly reject: (failure: Failure) => void;
}

/** Takes records while the database is away. */
export interface Spool {
  /** Resolves when the record is on the disk. @throws Failure `upstream.unavailable` when it cannot be. */
  append(line: AuditLine): Promise<void>;
}

export interface RecorderSurroundings {
  readonly presence: Pick<DatabasePresence, 'away' | 'onAway'>;
  readonly spool: Spool | undefined;
}

/** Connections of the recorder: one commits while the other gathers, or both when a full flush waits. */
export const AUDIT_CONNECTIONS = 2;
const MONTHS_AHEAD = 3;

/**
 * Commits the records of all concurrent calls together (decision record 0009). The first record of an idle recorder is
 * flushed at the end of the current turn of the event loop; under load, flushes start a few milliseconds apart, because a
 * round trip costs as much as answering a call.
 * A lost connection fails its records instead of sending them again: whether they were committed is not known, and a
 * second copy would be a lie. Records that were not sent go to the spool while the database is away, where their call may
 * be answered without it.
 */
export class GroupCommitAuditRecorder implements AuditRecorder {
  private waiting: WaitingRecord[] = [];
  private inFlight = 0;
  private scheduled = false;
  private flushedAt = 0;
  private closed = false;
  private idle: (() => void) | undefined;
  private readonly sent = new Set<readonly WaitingRecord[]>();
  private readonly stopListening: () => void;

  /** Takes over the pool, which must have {@link AUDIT_CONNECTIONS} connections. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly nonces: NoncePool,
    private readonly around: RecorderSurroundings = { presence: ALWAYS_PRESENT, spool: undefined },
  ) {
    this.stopListening = around.presence.onAway(this.leave);
  }

  assertRecordable(): void {
    if (this.around.presence.away) throw storeAway();
  }

  record(record: AuditRecord, whenAway: WhenAway = 'refuse'): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.closed)
        throw new Failure('upstream.unavailable', { retryAfterMs: 1000, auditReason: 'audit_recorder_closed' });
      if (this.waiting.length >= LIMITS.auditQueueRows.value) throw new Failure('limit.busy', { retryAfterMs: 1000 });
      const line = auditLine(record, this.nonces.next());
      const waiting = { organizationId: record.organizationId, line, whenAway, resolve, reject };
      if (this.around.presence.away) {
        this.keepOrRefuse(waiting, storeAway());
        return;
      }
      this.waiting.push(waiting);
      this.schedule();
    });
  }

  /** Makes sure that the months ahead have partitions. Run at start and daily. */
  async maintain(): Promise<void> {
    await this.pool.query('SELECT ensure_audit_partitions($1)', [MONTHS_AHEAD]);
  }

  /** Refuses new records, commits those that wait, and closes the connections. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.stopListening();
    if (this.waiting.length > 0 || this.inFlight > 0) await new Promise<void>((done) => (this.idle = done));
    await this.pool.end();
  }

  private schedule(): void {
    if (this.scheduled || !this.mayFlush()) return;
    this.scheduled = true;
    const early = LIMITS.auditGatherMs.value - (performance.now() - this.flushedAt);
    if (early < 1) setImmediate(this.flushAll);
    else setTimeout(this.flushAll, early);
  }

  private readonly flushAll = (): void => {
    this.scheduled = false;
    while (this.mayFlush()) void this.flush(this.waiting.splice(0, LIMITS.auditFlushRows.value));
  };

  private mayFlush(): boolean {
    if (this.waiting.length === 0) return false;
    return (
      this.inFlight === 0 || (this.inFlight < AUDIT_CONNECTIONS && this.waiting.length >= LIMITS.auditFlushRows.value)
    );
  }

  private async flush(batch: readonly WaitingRecord[]): Promise<void> {
    this.inFlight++;
    this.flushedAt = performance.now();
    await this.commit(batch, true);
    this.inFlight--;
    this.schedule();
    if (this.inFlight === 0 && this.waiting.length === 0) this.idle?.();
  }

  /** Never rejects: each record learns its own fate. */
  private async commit(batch: readonly WaitingRecord[], mayAddPartition: boolean): Promise<void> {
    try {
      this.sent.add(batch);
      await this.pool.query(appendStatement(batch));
      for (const record of batch) record.resolve();
    } catch (error) {
      await this.recover(batch, error, mayAddPartition);
    } finally {
      this.sent.delete(batch);
    }
  }

  /** The database is away: nobody waits for it any longer. What was sent fails, because it may have been committed. */
  private readonly leave = (): void => {
    for (const batch of this.sent) for (const record of batch) record.reject(storeAway());
    for (const record of this.waiting.splice(0)) this.keepOrRefuse(record, storeAway());
    if (this.inFlight === 0) this.idle?.();
  };

  private keepOrRefuse(record: WaitingRecord, failure: Failure): void {
    const { spool } = this.around;
    if (spool === undefined || record.whenAway === 'refuse') record.reject(failure);
    else spool.append(record).then(record.resolve, record.reject);
  }

  private async recover(batch: readonly WaitingRecord[], error: unknown, mayAddPartition: boolean): Promise<void> {
    const found = appendFailure(error);
    if (found.kind === 'no_partition' && mayAddPartition) {
      await this.maintain().catch(() => undefined); // the second attempt tells what is wrong
      await this.commit(batch, false);
    } else if (found.kind === 'bad_record' && batch.length > 1) {
      const middle = batch.length >> 1;
      await this.commit(batch.slice(0, middle), mayAddPartition);
      await this.commit(batch.slice(middle), mayAddPartition);
    } else {
      const failure = found.kind === 'failed' ? found.failure : Failure.from(error);
      const unsent = found.kind === 'failed' && found.unsent;
      for (const record of batch)
        if (unsent) this.keepOrRefuse(record, failure);
        else record.reject(failure);
      if (found.kind === 'failed' && (found.silent || unsent))
        for (const record of this.waiting.splice(0)) this.keepOrRefuse(record, failure);
    }
  }
}

const storeAway = (): Failure =>
  new Failure('upstream.unavailable', { retryAfterMs: 2000, auditReason: 'audit_store_unavailable' });
