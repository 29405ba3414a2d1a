import type { Checkpoint } from '../domain/log/checkpoint.js';
import type { CompactRange } from '../domain/log/compact-range.js';
import { HASH_BYTES } from '../domain/log/hashes.js';
import { TILE_WIDTH } from '../domain/log/tiles.js';
import type { Findings } from './verify-findings.js';

/** A signed note that was opened; without a checkpoint where none of the keys signed it. */
export interface OpenedNote {
  readonly size: number;
  readonly checkpoint: Checkpoint | undefined;
}

/** One pass over leaves in order, from where `range` stands: tiles and roots of signed notes are compared on the way. */
export class LogWalk {
  /** Checkpoints whose signature and root were found right. */
  sound = 0;
  /** Size of the newest of them. */
  soundSize = 0;
  private before = 0;
  private readonly tile = Buffer.alloc(TILE_WIDTH * HASH_BYTES);
  private tiles: ReadonlyMap<number, Buffer> = new Map();
  private notes: readonly OpenedNote[] = [];
  private due = 0;

  constructor(
    readonly range: CompactRange,
    private readonly findings: Findings,
  ) {
    // Where the range begins is the middle of a tile only if that tile cannot be compared.
    this.comparable = range.size % TILE_WIDTH === 0 ? range.size : range.size + TILE_WIDTH;
  }

  private readonly comparable: number;

  /**
   * What the next leaves are held against, besides what is left from before, where leaves were missing at an end.
   * @param notes of sizes above the earlier ones, by ascending size
   */
  expect(tiles: ReadonlyMap<number, Buffer>, notes: readonly OpenedNote[]): void {
    const open = Math.floor(this.range.size / TILE_WIDTH);
    this.tiles = new Map([...[...this.tiles].filter(([index]) => index >= open), ...tiles]);
    this.notes = [...this.notes.slice(this.due), ...notes];
    this.due = 0;
  }

  /**
   * Takes the leaf at an index; what is missing before it is stood in for, and what stands at a place that is taken is left
   * out, so that what follows is judged by its own checks.
   */
  take(seq: number, leaf: Buffer): void {
    if (seq < this.range.size) {
      this.findings.add('entry_twice', seq, seq);
      return;
    }
    if (seq !== this.range.size) {
      this.findings.add('entry_missing', this.range.size, seq - 1);
      while (this.range.size < seq) this.append(Buffer.alloc(HASH_BYTES));
    }
    this.append(leaf);
  }

  /** Compares a note of the size where the range stands. */
  compare({ size, checkpoint }: OpenedNote, root: Uint8Array = this.range.root()): void {
    if (checkpoint === undefined) this.findings.add('checkpoint_unsigned', 0, Math.max(0, size - 1));
    else if (Buffer.compare(checkpoint.root, root) === 0) {
      this.sound++;
      if (size > this.soundSize) [this.before, this.soundSize] = [this.soundSize, size];
    } else {
      // Another note of this size may have been right: one of the two was signed for a rewritten history.
      if (this.soundSize === size) this.soundSize = this.before;
      this.findings.add('root_differs', Math.min(this.soundSize, size - 1), size - 1);
    }
  }

  private append(leaf: Buffer): void {
    const place = this.range.size % TILE_WIDTH;
    leaf.copy(this.tile, place * HASH_BYTES);
    this.range.add(leaf);
    if (place === TILE_WIDTH - 1 && this.range.size > this.comparable) this.compareTile();
    for (let note = this.notes[this.due]; note?.size === this.range.size; note = this.notes[this.due]) {
      this.due++;
      this.compare(note);
    }
  }

  /** A tile is a second, older copy of the leaves: it names the row even when the entry was rewritten with the record. */
  private compareTile(): void {
    const first = this.range.size - TILE_WIDTH;
    const stored = this.tiles.get(first / TILE_WIDTH);
    if (stored === undefined || stored.equals(this.tile)) return;
    for (let i = 0; i < TILE_WIDTH; i++) {
      const at = i * HASH_BYTES;
      if (!stored.subarray(at, at + HASH_BYTES).equals(this.tile.subarray(at, at + HASH_BYTES)))
        this.findings.add('tile_differs', first + i, first + i);
    }
  }
}
