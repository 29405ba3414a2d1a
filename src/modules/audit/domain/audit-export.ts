import type { Checkpoint } from './log/checkpoint.js';
import { CompactRange } from './log/compact-range.js';
import { HASH_BYTES } from './log/hashes.js';
import { includes } from './log/merkle-proof.js';
import { subtreesOf } from './log/subtrees.js';
import { decodeCanonical, leafOf, matchesCommitment } from './stored-record.js';

export const EXPORT_FORMAT = 'forecourt-audit-export/1';
/** With held records of a pruned part before the rows; a checker that does not know them says so. */
export const HELD_EXPORT_FORMAT = 'forecourt-audit-export/2';

/**
 * First line of an export: which rows of which log, and the hashes that close the tree on both sides of them, so that the
 * rows can be checked against a signature without the log.
 */
export interface ExportHeader {
  readonly format: typeof EXPORT_FORMAT | typeof HELD_EXPORT_FORMAT;
  readonly origin: string;
  /** Index of the first row. */
  readonly from: number;
  /** Index after the last row. */
  readonly to: number;
  /** Roots of the perfect subtrees before the rows, and after them up to the checkpoint's size, left to right, base64. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly checkpoint: string;
  /** How many held records come before the rows; absent for none. */
  readonly held?: number;
}

/** One row: the canonical record, and the erasable values with their nonce where they still exist. */
export interface ExportRow {
  readonly seq: number;
  /** The leaf hash, base64. */
  readonly leaf?: string;
  readonly canon: string;
  readonly actor?: string;
  readonly client?: string;
  readonly nonce?: string;
}

/** A held record of a pruned part, with its own way to the root that is signed. */
export interface ExportHeldRow extends ExportRow {
  /** Sibling hashes from the leaf to the root of the checkpoint, base64. */
  readonly path: readonly string[];
}

/** Rows that are not part of a filtered export: the roots of the perfect subtrees that cover them, left to right, base64. */
export interface ExportGap {
  readonly from: number;
  /** Index after the last row that is left out. */
  readonly to: number;
  readonly hashes: readonly string[];
}

/** Why an export does not hold. */
export type ExportProblem =
  | 'format_unknown'
  | 'checkpoint_unsigned'
  | 'row_out_of_place'
  | 'value_changed'
  | 'held_differs'
  | 'held_missing'
  | 'rows_missing'
  | 'root_differs'
  | 'hashes_missing';

/** Rebuilds the root out of an export, row by row. Memory is flat. */
export class ExportChecker {
  private readonly range: CompactRange;
  private held = 0;
  private lastHeld = -1;

  private constructor(
    private readonly header: ExportHeader,
    private readonly checkpoint: Checkpoint,
  ) {
    this.range = new CompactRange();
  }

  /** @param open reads a signed note of a log with the keys that the reader trusts */
  static begin(
    header: unknown,
    open: (note: string, origin: string) => Checkpoint | undefined,
  ): ExportChecker | ExportProblem {
    if (!isHeader(header)) return 'format_unknown';
    const checkpoint = open(header.checkpoint, header.origin);
    if (checkpoint === undefined || checkpoint.size < header.to) return 'checkpoint_unsigned';
    const checker = new ExportChecker(header, checkpoint);
    return checker.close(0, header.from, header.before) ?? checker;
  }

  /** A held record: before every row, in the order of their places. */
  takeHeld(row: ExportHeldRow): ExportProblem | undefined {
    const { header, checkpoint } = this;
    if (
      row.seq <= this.lastHeld ||
      row.seq >= header.from ||
      this.range.size !== header.from ||
      ++this.held > (header.held ?? 0)
    )
      return 'row_out_of_place';
    this.lastHeld = row.seq;
    const leaf = leafOf(row.canon);
    const path = row.path.map((hash) => Buffer.from(hash, 'base64'));
    if (!includes(leaf, row.seq, checkpoint.size, path, checkpoint.root)) return 'held_differs';
    return sameLeaf(row, leaf) && valuesHold(row) ? undefined : 'value_changed';
  }

  take(row: ExportRow): ExportProblem | undefined {
    if (row.seq !== this.range.size || row.seq >= this.header.to) return 'row_out_of_place';
    const leaf = leafOf(row.canon);
    this.range.add(leaf);
    return valuesHold(row) && sameLeaf(row, leaf) ? undefined : 'value_changed';
  }

  /** Passes over rows that were left out. */
  skip({ from, to, hashes }: ExportGap): ExportProblem | undefined {
    if (from !== this.range.size || to <= from || to > this.header.to) return 'row_out_of_place';
    return this.close(from, to, hashes);
  }

  end(): ExportProblem | undefined {
    const { header, checkpoint } = this;
    if (this.held !== (header.held ?? 0)) return 'held_missing';
    if (this.range.size !== header.to) return 'rows_missing';
    const problem = this.close(header.to, checkpoint.size, header.after);
    if (problem !== undefined) return problem;
    return Buffer.compare(this.range.root(), checkpoint.root) === 0 ? undefined : 'root_differs';
  }

  private close(start: number, end: number, hashes: readonly string[]): ExportProblem | undefined {
    const subtrees = subtreesOf(start, end);
    const bytes = hashes.map((hash) => Buffer.from(hash, 'base64'));
    if (bytes.length !== subtrees.length || bytes.some((hash) => hash.length !== HASH_BYTES)) return 'hashes_missing';
    subtrees.forEach(({ level }, i) => {
      this.range.appendSubtree(level, bytes[i] as Buffer);
    });
    return undefined;
  }
}

const sameLeaf = ({ leaf }: ExportRow, hash: Buffer): boolean => leaf === undefined || leaf === hash.toString('base64');

/** An erasable value that is there must be the one that was committed to. */
function valuesHold({ canon, actor, client, nonce }: ExportRow): boolean {
  if (actor === undefined && client === undefined) return true;
  if (nonce === undefined) return false;
  const { actorCommitment, clientCommitment } = decodeCanonical(Buffer.from(canon));
  const key = Buffer.from(nonce, 'hex');
  const holds = (field: 'actor' | 'client', value: string | undefined, committed: string | null): boolean =>
    value === undefined || (committed !== null && matchesCommitment(committed, key, field, value));
  return holds('actor', actor, actorCommitment) && holds('client', client, clientCommitment);
}

function isHeader(value: unknown): value is ExportHeader {
  if (typeof value !== 'object' || value === null) return false;
  const { format, origin, from, to, before, after, checkpoint, held } = value as Record<keyof ExportHeader, unknown>;
  const texts = (list: unknown): boolean => Array.isArray(list) && list.every((item) => typeof item === 'string');
  return (
    (format === HELD_EXPORT_FORMAT
      ? Number.isSafeInteger(held) && (held as number) > 0
      : format === EXPORT_FORMAT && held === undefined) &&
    typeof origin === 'string' &&
    typeof checkpoint === 'string' &&
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    (from as number) >= 0 &&
    (from as number) <= (to as number) &&
    texts(before) &&
    texts(after)
  );
}
