import { HASH_BYTES } from '../domain/log/hashes.js';
import { leafOf } from '../domain/stored-record.js';
import type { AuditLogReader, LogEntry, SketchedEntry } from './audit-log-reader.js';
import { checkRow } from './check-row.js';
import { quickLeaf } from './quick-check.js';
import { type ErasedRow, isErased } from './verify-erasures.js';
import type { Findings } from './verify-findings.js';

interface CheckedRows {
  /** One for each entry, as the stored bytes make it; where the record is gone, as it was noted when it was numbered. */
  readonly leaves: readonly Buffer[];
  readonly erased: readonly ErasedRow[];
}

/** Checks records: quickly where they are sound and plain, and whole where that does not tell. */
export class RowChecks {
  constructor(
    private readonly reader: AuditLogReader,
    private readonly organizationId: string,
    private readonly findings: Findings,
  ) {}

  async run(entries: readonly SketchedEntry[]): Promise<CheckedRows> {
    const leaves: Buffer[] = [];
    const erased: ErasedRow[] = [];
    let whole: ReadonlyMap<number, LogEntry> | undefined;
    for (const { seq, leafHash, sketch } of entries) {
      let leaf = sketch === null ? undefined : quickLeaf(sketch);
      if (leaf === undefined) {
        whole ??= await this.readWhole(entries);
        const entry = whole.get(seq) ?? { seq, leafHash, row: null };
        leaf = this.leafOfEntry(entry);
        if (entry.row !== null && isErasedRow(entry.row)) erased.push({ seq, eventId: entry.row.columns.eventId });
      }
      if (!leaf.equals(leafHash)) this.findings.add('record_changed', seq, seq);
      leaves.push(leaf.length === HASH_BYTES ? leaf : Buffer.alloc(HASH_BYTES));
    }
    return { leaves, erased };
  }

  private async readWhole(entries: readonly SketchedEntry[]): Promise<ReadonlyMap<number, LogEntry>> {
    const first = entries[0]?.seq ?? 0;
    const last = entries.at(-1)?.seq ?? first;
    const read = await this.reader.entries(this.organizationId, first, last - first + 1);
    return new Map(read.map((entry) => [entry.seq, entry]));
  }

  private leafOfEntry({ seq, leafHash, row }: LogEntry): Buffer {
    if (row === null) {
      this.findings.add('record_missing', seq, seq);
      return leafHash;
    }
    const problem = checkRow(row);
    if (problem !== undefined) this.findings.add(problem, seq, seq);
    return leafOf(row.canon);
  }
}

function isErasedRow(row: NonNullable<LogEntry['row']>): boolean {
  try {
    return isErased(row);
  } catch {
    return false; // unreadable bytes are a finding of their own
  }
}
