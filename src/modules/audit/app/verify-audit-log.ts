import type { Checkpoint } from '../domain/log/checkpoint.js';
import { CompactRange } from '../domain/log/compact-range.js';
import { HASH_BYTES } from '../domain/log/hashes.js';
import { TILE_WIDTH } from '../domain/log/tiles.js';
import { leafOf } from '../domain/stored-record.js';
import type { AuditLogReader, LogEntry } from './audit-log-reader.js';
import type { RowProblem } from './check-row.js';
import { checkRow } from './check-row.js';
import { logOrigin } from './log-names.js';

export type FindingKind =
  | RowProblem
  | 'record_missing'
  | 'record_changed'
  | 'record_unnumbered'
  | 'entry_missing'
  | 'tile_differs'
  | 'root_differs'
  | 'tail_missing'
  | 'checkpoint_unsigned';

/** Something that was done to the trail. Rows are leaf indexes from 0, both included. */
export interface Finding {
  readonly kind: FindingKind;
  readonly from: number;
  readonly to: number;
}

export interface Verification {
  readonly organizationId: string;
  readonly result: 'intact' | 'tampered';
  readonly rows: number;
  /** Checkpoints whose signature and root were found right. */
  readonly checkpoints: number;
  /** Rows after the newest checkpoint: sound in themselves, covered by no signature yet. */
  readonly uncovered: number;
  readonly findings: readonly Finding[];
}

interface OpenedCheckpoint {
  readonly size: number;
  readonly checkpoint: Checkpoint | undefined;
}

const ROWS_AT_ONCE = TILE_WIDTH * 16;
const FINDINGS_MAX = 1000;

/**
 * Checks an organization's whole trail: every record against its canonical bytes, its leaf and its place, every tile, and
 * the root of every signed checkpoint. Memory is flat. What a thief of the signing key rewrote as a whole is found only
 * with a checkpoint that somebody else kept.
 */
export class VerifyAuditLog {
  constructor(
    private readonly reader: AuditLogReader,
    private readonly open: (note: string, origin: string) => Checkpoint | undefined,
    private readonly gatewayId: string,
  ) {}

  /** @param kept signed notes that the caller kept outside: the trail must contain the states that they name */
  async run(
    organizationId: string,
    options: { readonly kept?: readonly string[]; progress?(rows: number): void } = {},
  ): Promise<Verification> {
    const checkpoints = await this.checkpointsOf(organizationId, options.kept ?? []);
    const walk = new LogWalk(checkpoints);
    for (;;) {
      const entries = await this.reader.entries(organizationId, walk.next, ROWS_AT_ONCE);
      const tiles = await this.reader.leafTiles(organizationId, walk.next, walk.next + ROWS_AT_ONCE);
      if (entries.length === 0) break;
      walk.take(entries, tiles);
      options.progress?.(walk.rows);
    }
    walk.finish();
    const unnumbered = await this.reader.unnumbered(organizationId);
    if (unnumbered.length > 0) walk.find('record_unnumbered', walk.rows, walk.rows + unnumbered.length - 1);
    return { organizationId, ...walk.verdict() };
  }

  private async checkpointsOf(organizationId: string, kept: readonly string[]): Promise<readonly OpenedCheckpoint[]> {
    const origin = logOrigin(this.gatewayId, organizationId);
    const stored = (await this.reader.checkpoints(organizationId)).map(({ size, note }) => {
      const checkpoint = this.open(note, origin);
      return { size, checkpoint: checkpoint?.size === size ? checkpoint : undefined };
    });
    const outside = kept.map((note) => {
      const checkpoint = this.open(note, origin);
      return { size: checkpoint?.size ?? 0, checkpoint };
    });
    return [...stored, ...outside].toSorted((a, b) => a.size - b.size);
  }
}

/** One pass over the entries, from the first to the last. */
class LogWalk {
  /** Index of the leaf that is due. */
  next = 0;
  rows = 0;
  private readonly range = new CompactRange();
  private readonly findings: Finding[] = [];
  private readonly tile = Buffer.alloc(TILE_WIDTH * HASH_BYTES);
  private due = 0;
  private sound = 0;
  private soundSize = 0;

  constructor(private readonly checkpoints: readonly OpenedCheckpoint[]) {
    this.compareRoots();
  }

  take(entries: readonly LogEntry[], tiles: ReadonlyMap<number, Buffer>): void {
    for (const entry of entries) {
      if (entry.seq !== this.next) {
        this.find('entry_missing', this.next, entry.seq - 1);
        // The tree goes on without them, so that what follows is judged by its own checks; its roots cannot agree any more.
        while (this.range.size < entry.seq) this.append(Buffer.alloc(HASH_BYTES), tiles);
      }
      this.append(this.leafOfEntry(entry), tiles);
      this.next = entry.seq + 1;
      this.rows++;
    }
  }

  finish(): void {
    for (const { size } of this.checkpoints.slice(this.due)) {
      this.find('tail_missing', this.range.size, size - 1);
      break;
    }
  }

  find(kind: FindingKind, from: number, to: number): void {
    const last = this.findings.at(-1);
    if (last?.kind === kind && last.to + 1 === from) this.findings[this.findings.length - 1] = { ...last, to };
    else if (this.findings.length < FINDINGS_MAX) this.findings.push({ kind, from, to });
  }

  verdict(): Omit<Verification, 'organizationId'> {
    const { rows, sound: checkpoints, findings } = this;
    const result = findings.length === 0 ? 'intact' : 'tampered';
    return { result, rows, checkpoints, uncovered: Math.max(0, this.range.size - this.soundSize), findings };
  }

  /** The leaf as the stored bytes make it; where the record is gone, as it was noted when it was numbered. */
  private leafOfEntry({ seq, leafHash, row }: LogEntry): Buffer {
    if (row === null) {
      this.find('record_missing', seq, seq);
      return leafHash;
    }
    const leaf = leafOf(row.canon);
    if (!leaf.equals(leafHash)) this.find('record_changed', seq, seq);
    const problem = checkRow(row);
    if (problem !== undefined) this.find(problem, seq, seq);
    return leaf;
  }

  private append(leaf: Buffer, tiles: ReadonlyMap<number, Buffer>): void {
    const place = this.range.size % TILE_WIDTH;
    leaf.copy(this.tile, place * HASH_BYTES);
    this.range.append(leaf);
    if (place === TILE_WIDTH - 1) this.compareTile(tiles);
    this.compareRoots();
  }

  /** A tile is a second, older copy of the leaves: it names the row even when the entry was rewritten with the record. */
  private compareTile(tiles: ReadonlyMap<number, Buffer>): void {
    const first = this.range.size - TILE_WIDTH;
    const stored = tiles.get(first / TILE_WIDTH);
    if (stored === undefined || stored.equals(this.tile)) return;
    for (let i = 0; i < TILE_WIDTH; i++) {
      const at = i * HASH_BYTES;
      if (!stored.subarray(at, at + HASH_BYTES).equals(this.tile.subarray(at, at + HASH_BYTES)))
        this.find('tile_differs', first + i, first + i);
    }
  }

  private compareRoots(): void {
    for (let next = this.checkpoints[this.due]; next !== undefined; next = this.checkpoints[this.due]) {
      if (next.size > this.range.size) return;
      this.due++;
      if (next.checkpoint === undefined) this.find('checkpoint_unsigned', 0, Math.max(0, next.size - 1));
      else if (Buffer.from(next.checkpoint.root).equals(this.range.root())) {
        this.sound++;
        this.soundSize = next.size;
      } else this.find('root_differs', this.soundSize, next.size - 1);
    }
  }
}
