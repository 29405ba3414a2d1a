import type { DecodedRecord } from '../domain/stored-record.js';

/** A stored record beside its place in the log. */
export interface StoredRow {
  /** The typed columns, as the canonical form names them. */
  readonly columns: Omit<DecodedRecord, 'actorCommitment' | 'clientCommitment'>;
  readonly actor: string | null;
  readonly client: string | null;
  readonly canon: Buffer;
  /** Null once the erasable values have been erased. */
  readonly nonce: Buffer | null;
}

export interface LogEntry {
  /** Index of the leaf, from 0. */
  readonly seq: number;
  readonly leafHash: Buffer;
  /** Null when the record is gone. */
  readonly row: StoredRow | null;
}

/** Port: the trail as it is stored, for checking it. Nothing is taken on trust by those who read it. */
export interface AuditLogReader {
  /** Entries from `seq` on, at most `limit`, in order. */
  entries(organizationId: string, seq: number, limit: number): Promise<readonly LogEntry[]>;
  /** The stretch of the log from the first to the last record of a period (RFC 3339, `to` excluded); ends are like a slice's. */
  rowsOf(
    organizationId: string,
    from: string,
    to: string,
  ): Promise<{ readonly from: number; readonly to: number } | undefined>;
  /** Full tiles of level 0 that begin in a range of leaves, by index. */
  leafTiles(organizationId: string, from: number, to: number): Promise<ReadonlyMap<number, Buffer>>;
  /** Signed notes, by ascending size. */
  checkpoints(organizationId: string): Promise<readonly { readonly size: number; readonly note: string }[]>;
  /** Ids of records that numbering has passed and that have no place in the log; at most 100. */
  unnumbered(organizationId: string): Promise<readonly string[]>;
}
