import type { ExportHeader } from '../../domain/audit-export.js';
import type { ExportedRecord } from '../../domain/exports/exported-record.js';
import { inclusionProof, type SubtreeRoot } from '../../domain/log/merkle-proof.js';
import { subtreeRootsFrom } from '../../domain/log/tiles.js';
import { withVaulted } from '../../domain/vault.js';
import type { AuditLogStore, OpenLog } from '../audit-log-store.js';
import type { AuditFilter } from '../audit-search.js';
import { checkpointSizeOf } from './checkpoint-size.js';
import type { ExportedEntries, HeldEntry } from './exported-entries.js';

const ROWS_AT_ONCE = 500;

/** A held record as an export has it. */
export interface HeldRow extends ExportedRecord {
  /** Sibling hashes from the leaf to the root of the export's checkpoint. */
  readonly inclusionPath: readonly Uint8Array[];
}

/** Held records of the pruned part of a log, each with its path to the root that an export's checkpoint signs. */
export class HeldRows {
  constructor(
    private readonly store: AuditLogStore,
    private readonly entries: Pick<ExportedEntries, 'held'>,
  ) {}

  /** In the order of their places, some at a time. Memory is flat. */
  async *of(
    organizationId: string,
    filter: AuditFilter,
    header: ExportHeader,
  ): AsyncGenerator<readonly HeldRow[], void, undefined> {
    for (let from = 0; ;) {
      const rows = { from, to: header.from, limit: ROWS_AT_ONCE };
      const found = await this.entries.held(organizationId, filter, rows);
      const last = found.at(-1);
      if (last === undefined) return;
      yield await this.store.withLog(organizationId, (log) => proven(log, found, checkpointSizeOf(header.checkpoint)));
      from = last.seq + 1;
    }
  }
}

async function proven(log: OpenLog, found: readonly HeldEntry[], size: number): Promise<readonly HeldRow[]> {
  const at = remembering(subtreeRootsFrom((level, start, count) => log.hashes(level, start, count)));
  const rows: HeldRow[] = [];
  for (const entry of found)
    rows.push({ ...entry, inclusionPath: await inclusionProof(entry.seq, size, withVaulted(entry, at)) });
  return rows;
}

/** Neighbours share most of their paths. */
function remembering(at: SubtreeRoot): SubtreeRoot {
  const known = new Map<string, Promise<Uint8Array>>();
  return (level, index) => {
    const key = `${level}/${index}`;
    const hash = known.get(key) ?? at(level, index);
    known.set(key, hash);
    return hash;
  };
}
