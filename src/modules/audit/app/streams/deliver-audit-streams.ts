import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../../kernel/time.js';
import { logOrigin } from '../log-names.js';
import type { ExportedEntries } from '../exports/exported-entries.js';
import type { DeliveryEnd, HeldStream, StreamDeliveries, StreamLease } from './stream-deliveries.js';
import { backoffMs, GIVE_UP_MS } from './stream-backoff.js';
import { BATCH_ROWS, batchOf, type StreamBatch } from './stream-batch.js';
import type { StreamAudit } from './stream-audit.js';

/** Sends one batch. @returns `taken`, `gone` when the receiver wants no more, or what went wrong, as a code. */
export type SendBatch = (held: HeldStream, batch: StreamBatch) => Promise<string>;

export interface DeliveryOptions {
  readonly gatewayId: string;
  /** First pause after a failure. */
  readonly retryMs?: number;
}

const STREAMS_AT_ONCE = 4;
const DUE_AT_ONCE = 100;
/** Deliveries to one stream in a row, before others have their turn. */
const BATCHES_IN_A_ROW = 20;

/**
 * Sends every stream its rows in the order of the log. The place of a stream moves after the receiver has taken a batch: each
 * row arrives at least once, and a killed process, or two of them, leave no gap.
 */
export class DeliverAuditStreams {
  constructor(
    private readonly streams: StreamDeliveries,
    private readonly entries: ExportedEntries,
    private readonly send: SendBatch,
    private readonly audit: StreamAudit,
    private readonly clock: Clock,
    private readonly options: DeliveryOptions,
  ) {}

  /** One pass over all that is due. */
  async run(): Promise<void> {
    const due = [...(await this.streams.due(DUE_AT_ONCE))];
    const worker = async (): Promise<void> => {
      for (let next = due.shift(); next !== undefined; next = due.shift()) await this.deliver(next);
    };
    await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, worker));
  }

  private async deliver({ organizationId, streamId }: { organizationId: string; streamId: string }): Promise<void> {
    const lease = { organizationId, streamId, token: randomUUID() };
    try {
      for (let i = 0; i < BATCHES_IN_A_ROW; i++) {
        const held = await this.streams.hold(lease);
        if (held === undefined || !(await this.deliverNext(held))) return;
      }
    } finally {
      await this.streams.release(lease);
    }
  }

  /** What is new goes first, then a stretch that was asked for again. @returns whether to go on */
  private async deliverNext(held: HeldStream): Promise<boolean> {
    const batch = (await this.newRows(held)) ?? (await this.replayedRows(held));
    if (batch === undefined) return false;
    const answer = await this.send(held, batch.rows);
    if (answer === 'taken') return this.streams.end(held.lease, takenOf(batch));
    await this.failed(held, answer);
    return false;
  }

  private newRows({ lease, stream }: HeldStream): Promise<NextBatch | undefined> {
    return this.rows(lease, stream, { from: stream.nextSeq, to: Number.MAX_SAFE_INTEGER });
  }

  private async replayedRows({ lease, stream, replay }: HeldStream): Promise<NextBatch | undefined> {
    if (replay === undefined) return undefined;
    const rows = { from: replay.nextSeq, to: replay.to };
    return this.rows(lease, stream, rows, replay.replayId);
  }

  private async rows(
    { organizationId, streamId }: StreamLease,
    { format }: HeldStream['stream'],
    rows: { readonly from: number; readonly to: number },
    replayId?: string,
  ): Promise<NextBatch | undefined> {
    const found = await this.entries.read(organizationId, {}, { ...rows, limit: BATCH_ROWS });
    const first = found[0]?.seq;
    if (first === undefined) return undefined;
    const entries = found.filter((entry, i) => entry.seq === first + i); // rows before it were pruned, those after a gap come next
    const log = logOrigin(this.options.gatewayId, organizationId);
    const named = replayId === undefined ? {} : { replayId };
    return { rows: batchOf(entries, { streamId, log, format, ...named }), at: rows.from, ...named };
  }

  private async failed({ lease, stream }: HeldStream, problem: string): Promise<void> {
    const since = stream.failingSince ?? this.clock.now();
    if (problem === 'gone' || this.clock.now() - since >= GIVE_UP_MS)
      return this.audit.stopped(lease.organizationId, stream, problem, (tx) =>
        this.streams.stop(tx, lease, stream, problem),
      );
    const retryInMs = backoffMs(stream.failures, Math.random(), this.options.retryMs);
    await this.streams.end(lease, { delivered: false, problem, retryInMs });
  }
}

interface NextBatch {
  readonly rows: StreamBatch;
  /** Where the stream, or its replay, stood. */
  readonly at: number;
  readonly replayId?: string;
}

function takenOf({ rows, at, replayId }: NextBatch): DeliveryEnd {
  const place = { delivered: true, from: at, to: rows.to } as const;
  return replayId === undefined ? place : { ...place, replayId };
}
