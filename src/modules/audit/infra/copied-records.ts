import { CANONICAL_VERSION } from '../domain/canonical-record.js';
import type { RowSketch, SketchedEntry } from '../app/audit-log-reader.js';
import { ColumnComparison } from './column-comparison.js';

// PostgreSQL's binary COPY: a signature, flags and an extension without bytes; then rows, each with the number of its fields, and
// fields with their length in front, which is −1 for null. Behind the last row stands −1 as a number of fields.
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADER_BYTES = SIGNATURE.length + 8;
const NONCE_BYTES = 16;

/** What each field after the erasable values is in the canonical form, in its order; the commitments stand between two of them. */
const ELEMENTS = [
  'text', // event_id
  'time', // occurred_at
  'text', // organization_id
  'text', // trace_id
  'text', // surface
  'text', // operation
  'text', // profile
  'text', // actor_kind
  'commitments',
  'list', // rooftop_ids
  'list', // resource_ids
  'text', // decision
  'text', // reason
  'text', // policy_version
  'text', // outcome
  'text', // failure_code
  'text', // purpose
  'text', // before_hash
  'text', // after_hash
] as const;
const [SEQ, LEAF, CANON, NONCE, ACTOR, CLIENT, FIRST_COLUMN] = [0, 1, 2, 3, 4, 5, 6];
const FIELDS = FIRST_COLUMN + ELEMENTS.length - 1;
const COMMITMENT_LENGTH = 66;
const NULL_LENGTH = 4;

/** Reads what COPIED_RECORDS sends. Whether the columns make the canonical bytes around the commitments is found out here. */
export class CopiedRecords {
  private at = HEADER_BYTES;
  private readonly starts = new Int32Array(FIELDS);
  private readonly lengths = new Int32Array(FIELDS);
  private readonly comparison: ColumnComparison;

  /** @throws Error for bytes of another form. */
  constructor(private readonly bytes: Buffer) {
    if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('this is no binary COPY');
    this.comparison = new ColumnComparison(bytes);
  }

  /** @throws Error for bytes of another form, and for those that end too early. */
  read(): readonly SketchedEntry[] {
    const entries: SketchedEntry[] = [];
    while (this.nextRow()) {
      const seq = Number(this.bytes.readBigInt64BE(this.starts[SEQ]));
      entries.push({ seq, leafHash: this.field(LEAF) ?? Buffer.alloc(0), sketch: this.sketch() });
    }
    return entries;
  }

  /** Finds the fields of the next row. */
  private nextRow(): boolean {
    const fields = this.bytes.readInt16BE(this.at);
    this.at += 2;
    if (fields === -1) return false;
    if (fields !== FIELDS) throw new Error('a copied record has another number of fields');
    for (let i = 0; i < FIELDS; i++) {
      const length = this.bytes.readInt32BE(this.at);
      this.at += 4;
      this.starts[i] = this.at;
      this.lengths[i] = length;
      if (length > 0) this.at += length;
    }
    return true;
  }

  private field(index: number): Buffer | null {
    const [start, length] = [this.starts[index] as number, this.lengths[index] as number];
    return length < 0 ? null : this.bytes.subarray(start, start + length);
  }

  private sketch(): RowSketch | null {
    const [canon, nonce] = [this.field(CANON), this.field(NONCE)];
    if (canon === null || nonce?.length !== NONCE_BYTES) return null;
    const start = this.starts[CANON] as number;
    const from = this.compared(start, start + canon.length);
    if (from === undefined) return null;
    const [actor, client] = [this.field(ACTOR)?.toString() ?? null, this.field(CLIENT)?.toString() ?? null];
    return { canon, from: from - start, to: from - start + this.commitments(), nonce, actor, client };
  }

  /** @returns where the commitments begin; undefined where the columns do not make these bytes, or not in plain text. */
  private compared(start: number, end: number): number | undefined {
    const { comparison } = this;
    comparison.begin(start);
    if (!comparison.literal(`["${CANONICAL_VERSION}"`)) return undefined;
    let [field, from] = [FIRST_COLUMN, start];
    for (const element of ELEMENTS) {
      if (!comparison.comma()) return undefined;
      if (element === 'commitments') {
        from = comparison.at;
        comparison.skip(this.commitments());
        continue;
      }
      const [column, length] = [this.starts[field] as number, this.lengths[field++] as number];
      if (element === 'text' ? !comparison.text(column, length) : !comparison[element](column, length))
        return undefined;
    }
    return comparison.literal(']') && comparison.at === end ? from : undefined;
  }

  /** How long both of them are, with the comma between. */
  private commitments(): number {
    const length = (field: number): number => ((this.lengths[field] as number) < 0 ? NULL_LENGTH : COMMITMENT_LENGTH);
    return length(ACTOR) + 1 + length(CLIENT);
  }
}
