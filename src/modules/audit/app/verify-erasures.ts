import { inclusionProof, includes } from '../domain/log/merkle-proof.js';
import { HashesLack, subtreeRootsFrom } from '../domain/log/tiles.js';
import { PRUNED_OPERATION, pruningHash } from '../domain/pruning.js';
import { REDACTED_OPERATION, redactionHash } from '../domain/redaction.js';
import { decodeCanonical, leafOf } from '../domain/stored-record.js';
import type { AuditLogReader, LogEntry, StoredPruning, StoredRow } from './audit-log-reader.js';
import { checkRow } from './check-row.js';
import type { OpenedNote } from './verify-walk.js';

/** A record whose erasable values are gone. */
export interface ErasedRow {
  readonly seq: number;
  readonly eventId: string;
}

/** Whether values that a record committed to are not there any more. */
export function isErased({ canon, nonce, actor, client }: StoredRow): boolean {
  if (nonce !== null || actor !== null || client !== null) return false;
  const { actorCommitment, clientCommitment } = decodeCanonical(canon);
  return actorCommitment !== null || clientCommitment !== null;
}

/**
 * What is gone lawfully: the log itself must have a record that says so, and that record must be in the tree. Else it is
 * somebody's work who has the rights to delete and hopes that it looks like retention.
 */
export class RecordedErasures {
  private readonly redactions = new Map<string, Promise<boolean>>();

  constructor(
    private readonly reader: AuditLogReader,
    private readonly organizationId: string,
    private readonly newest: OpenedNote | undefined,
  ) {}

  /** Whether the log says what this pruning says, in a row that the pruning leaves. */
  async isRecordedPruning(pruning: StoredPruning): Promise<boolean> {
    const entry = await this.reader.entryOf(this.organizationId, pruning.eventId);
    if (entry === undefined || entry.seq < pruning.minIndex) return false;
    return this.says(entry, PRUNED_OPERATION, pruningHash(this.organizationId, pruning));
  }

  /** Those of the rows that no recorded redaction took. */
  async unrecorded(rows: readonly ErasedRow[]): Promise<readonly ErasedRow[]> {
    if (rows.length === 0) return [];
    const takenBy = await this.reader.redactionsOf(
      this.organizationId,
      rows.map(({ eventId }) => eventId),
    );
    const unrecorded: ErasedRow[] = [];
    for (const row of rows) {
      const redactionId = takenBy.get(row.eventId);
      if (redactionId === undefined || !(await this.isRecordedRedaction(redactionId))) unrecorded.push(row);
    }
    return unrecorded;
  }

  private isRecordedRedaction(redactionId: string): Promise<boolean> {
    const known = this.redactions.get(redactionId) ?? this.readRedaction(redactionId);
    this.redactions.set(redactionId, known);
    return known;
  }

  private async readRedaction(redactionId: string): Promise<boolean> {
    const entry = await this.reader.entryOf(this.organizationId, redactionId);
    if (entry?.row == null) return false;
    const records = await this.reader.redactedBy(this.organizationId, redactionId);
    const { reason } = entry.row.columns;
    return reason !== null && this.says(entry, REDACTED_OPERATION, redactionHash(reason, records));
  }

  private async says({ seq, leafHash, row }: LogEntry, operation: string, afterHash: string): Promise<boolean> {
    if (row === null || checkRow(row) !== undefined) return false;
    if (row.columns.operation !== operation || row.columns.afterHash !== afterHash) return false;
    const leaf = leafOf(row.canon);
    if (!leaf.equals(leafHash)) return false;
    const checkpoint = this.newest?.checkpoint;
    if (checkpoint === undefined || checkpoint.size <= seq) return true; // as sound as every row that no signature covers yet
    const at = subtreeRootsFrom((level, start, count) => this.reader.hashes(this.organizationId, level, start, count));
    const path = await inclusionProof(seq, checkpoint.size, at).catch((error: unknown) => {
      if (error instanceof HashesLack) return undefined; // what lacks is a finding of its own
      throw error;
    });
    return path !== undefined && includes(leaf, seq, checkpoint.size, path, checkpoint.root);
  }
}
