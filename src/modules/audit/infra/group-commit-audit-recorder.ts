import type pg from 'pg';
import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { AuditRecord, AuditRecorder } from '../../../kernel/ports/audit-recorder.js';
import { auditLine } from '../domain/canonical-record.js';
import { appendFailure } from './append-failure.js';
import type { AuditLine } from './append-statement.js';
import { appendStatement } from './append-statement.js';
import type { NoncePool } from './nonce-pool.js';

interface WaitingRecord extends AuditLine {
  readonly resolve: () => void;
  readonly reject: (failure: Failure) => void;
}

/** Connections of the recorder: one commits while the other gathers, or both when a full flush waits. */
export const AUDIT_CONNECTIONS = 2;
const MONTHS_AHEAD = 3;

/**
 * Commits the records of all concurrent calls together (decision record 0009). The first record of an idle recorder is
 * flushed at the end of the current turn of the event loop; under load, flushes start a few milliseconds apart, because a
 * round trip costs as much as answering a call.
 * A lost connection fails its records instead of sending them again: whether they were committed is not known, and a
 * second copy would be a lie.
 */
export class GroupCommitAuditRecorder implements AuditRecorder {
  private waiting: WaitingRecord[] = [];
  private inFlight = 0;
  private scheduled = false;
  private flushedAt = 0;
  private closed = false;
  private idle: (() => void) | undefined;

  /** Takes over the pool, which must have {@link AUDIT_CONNECTIONS} connections. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly nonces: NoncePool,
  ) {}

  record(record: AuditRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.closed)
        throw new Failure('upstream.unavailable', { retryAfterMs: 1000, auditReason: 'audit_recorder_closed' });
      if (this.waiting.length >= LIMITS.auditQueueRows.value) throw new Failure('limit.busy', { retryAfterMs: 1000 });
      const line = auditLine(record, this.nonces.next());
      this.waiting.push({ organizationId: record.organizationId, line, resolve, reject });
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
      await this.pool.query(appendStatement(batch));
      for (const record of batch) record.resolve();
    } catch (error) {
      await this.recover(batch, error, mayAddPartition);
    }
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
      const lost = found.kind === 'failed' && found.silent ? [...batch, ...this.waiting.splice(0)] : batch;
      for (const record of lost) record.reject(failure);
    }
  }
}
