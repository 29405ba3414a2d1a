import { CompactRange } from '../domain/log/compact-range.js';
import type { Checkpoint } from '../domain/log/checkpoint.js';
import type { ClockReading } from '../domain/log/clock-line.js';
import { HASH_BYTES } from '../domain/log/hashes.js';
import { type FullTile, subtreeRootsFrom, TILE_WIDTH, TileCollector } from '../domain/log/tiles.js';
import type { AuditLogStore, DueLog, OpenLog } from './audit-log-store.js';
import type { ClockOffset } from './clock-offset.js';
import { logOrigin } from './log-names.js';

export interface CheckpointOptions {
  readonly gatewayId: string;
  /** Age from which an unchanged log is signed again: its silence is then a statement, too. */
  readonly heartbeatMs: number;
  /** Measured before signing and recorded in each checkpoint; one that cannot be measured is not recorded. */
  readonly clockOffset?: ClockOffset;
}

const SEQUENCED_AT_ONCE = 20_000;
/** Hashed in one go: a few milliseconds, which calls in the same process have to wait. */
const LEAVES_AT_ONCE = 1024;
/** Read in one transaction, which writes at its end: a transaction that has written holds numbering back until it ends. */
const LEAVES_A_TRANSACTION = 16 * LEAVES_AT_ONCE;
const EDGES_KEPT = 1000;

/** Where a log stands: all that appending needs. */
interface LogEdge {
  readonly range: CompactRange;
  readonly tiles: TileCollector;
}

/**
 * Numbers what has been committed and signs the state of every log that grew: a record is durable at once and covered by
 * a signature about a second later. Any process may take over: where a log stands can be read from what is stored, and is
 * remembered only because that costs up to a hundred thousand hashes.
 */
export class PublishCheckpoints {
  private readonly edges = new Map<string, LogEdge>();

  constructor(
    private readonly store: AuditLogStore,
    /** Absent where there is no key: records are numbered, and signed once there is one. */
    private readonly sign: ((checkpoint: Checkpoint) => string) | undefined,
    private readonly options: CheckpointOptions,
  ) {}

  /**
   * @returns how many records were numbered and how many checkpoints signed.
   * @throws Error naming the logs that could not be signed; all others were.
   */
  async run(): Promise<{ readonly sequenced: number; readonly checkpoints: number }> {
    const sequenced = await this.number();
    const { sign } = this;
    if (sign === undefined) return { sequenced, checkpoints: 0 };
    const due = await this.store.due(this.options.heartbeatMs);
    const clock = due.length === 0 ? undefined : await this.options.clockOffset?.measure().catch(() => undefined);
    const damaged: string[] = [];
    let cause: unknown;
    for (const log of due) {
      await this.publish(log, sign, clock).catch((error: unknown) => {
        damaged.push(log.organizationId);
        cause = error;
      });
    }
    if (damaged.length > 0) throw new Error(`could not sign the audit log of ${damaged.join(', ')}`, { cause });
    return { sequenced, checkpoints: due.length };
  }

  /** Gives places to everything that has been committed. @returns how many records. */
  async number(): Promise<number> {
    let sequenced = 0;
    for (;;) {
      const numbered = await this.store.sequence(SEQUENCED_AT_ONCE);
      if (numbered === 'busy') return sequenced;
      sequenced += numbered;
      if (numbered < SEQUENCED_AT_ONCE) return sequenced;
    }
  }

  private async publish(
    { organizationId, size }: DueLog,
    sign: (checkpoint: Checkpoint) => string,
    clock: ClockReading | undefined,
  ): Promise<void> {
    let moved: LogEdge | undefined;
    do {
      moved = await this.store.withLog(organizationId, async (log) => {
        const edge = moved ?? (await this.edgeOf(log, organizationId));
        const tiles = await appendLeaves(log, edge, Math.min(size, edge.range.size + LEAVES_A_TRANSACTION));
        const whole = edge.range.size >= size;
        const state = this.stateOf(organizationId, edge, {
          clock,
          journal: whole ? await log.journalMark() : undefined,
        });
        const note = whole ? sign(state) : undefined;
        await log.addTiles(tiles);
        if (note !== undefined) await log.addCheckpoint({ size: state.size, root: state.root, note });
        return edge;
      });
    } while (moved.range.size < size);
    this.keepEdge(organizationId, moved);
  }

  private stateOf(
    organizationId: string,
    { range }: LogEdge,
    { clock, journal }: { readonly clock: ClockReading | undefined; readonly journal: string | undefined },
  ): Checkpoint {
    return {
      ...{ origin: logOrigin(this.options.gatewayId, organizationId), size: range.size, root: range.root() },
      ...(clock === undefined ? {} : { clock }),
      ...(journal === undefined ? {} : { journal }),
    };
  }

  /** Out of the memory while it is moved on: after a failure, or after another process signed, it is read anew. */
  private async edgeOf(log: OpenLog, organizationId: string): Promise<LogEdge> {
    const edge = this.edges.get(organizationId);
    this.edges.delete(organizationId);
    const size = await log.checkpointedSize();
    return edge?.range.size === size ? edge : readEdge(log, size);
  }

  private keepEdge(organizationId: string, edge: LogEdge): void {
    this.edges.set(organizationId, edge);
    for (const oldest of this.edges.keys()) {
      if (this.edges.size <= EDGES_KEPT) break;
      this.edges.delete(oldest);
    }
  }
}

async function readEdge(log: OpenLog, size: number): Promise<LogEdge> {
  const read = (level: number, start: number, count: number): Promise<Buffer> => log.hashes(level, start, count);
  return { range: await CompactRange.of(size, subtreeRootsFrom(read)), tiles: await openTiles(log, size) };
}

/** @returns the tiles that are full now. */
async function appendLeaves(log: OpenLog, { range, tiles }: LogEdge, size: number): Promise<readonly FullTile[]> {
  const full: FullTile[] = [];
  while (range.size < size) {
    const leaves = split(await log.hashes(0, range.size, Math.min(LEAVES_AT_ONCE, size - range.size)));
    if (leaves.length === 0) throw new Error('the log lacks leaves that its size promises');
    for (const leaf of leaves) full.push(...tiles.take(range.append(leaf)));
  }
  return full;
}

/** What stands in the tiles that are not full yet, at every level. */
async function openTiles(log: OpenLog, size: number): Promise<TileCollector> {
  const rest = new Map<number, readonly Buffer[]>();
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
    const open = count % TILE_WIDTH;
    if (open > 0) rest.set(level, split(await log.hashes(level, count - open, open)));
  }
  return new TileCollector(rest);
}

function split(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
