import type { Pruning } from '../domain/pruning.js';
import type { RedactedRecord } from '../domain/redaction.js';
import type { VaultPlace } from '../domain/vault.js';
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

/**
 * A record in the form that is quick to check: its columns were found to make its canonical bytes, up to the commitments and after
 * them. Only plain text can be compared like this; everything else is read whole.
 */
export interface RowSketch {
  /** All ASCII around the commitments. */
  readonly canon: Buffer;
  /** Where the commitments stand in it, as a slice. */
  readonly from: number;
  readonly to: number;
  readonly nonce: Buffer;
  readonly actor: string | null;
  readonly client: string | null;
}

export interface SketchedEntry {
  readonly seq: number;
  readonly leafHash: Buffer;
  /** Null where the record is gone or has to be read whole. */
  readonly sketch: RowSketch | null;
}

/** A held record that was moved out of a part of the log that is pruned. */
export interface VaultedEntry extends VaultPlace {
  /** Order of arrival. */
  readonly vaultNumber: number;
  readonly row: StoredRow;
}

/** A leaf as it was noted when it was numbered. */
export interface NumberedLeaf {
  readonly seq: number;
  readonly leafHash: Buffer;
}

export interface StoredNote {
  readonly size: number;
  readonly note: string;
}

/** A stretch of the log in one look: what is there of its leaves, with the tiles and checkpoints that belong to them. */
export interface LogStretch<Entry extends NumberedLeaf> {
  readonly entries: readonly Entry[];
  /** Full tiles of level 0 that have a leaf in common with the stretch, by index. */
  readonly tiles: ReadonlyMap<number, Buffer>;
  /** Signed notes of sizes from the stretch's first leaf on to its end, by ascending size, each once. */
  readonly notes: readonly StoredNote[];
}

export interface StoredPruning extends Pruning {
  /** The record in the log that says the same. */
  readonly eventId: string;
}

/** Port: the trail as it is stored, for checking it. Nothing is taken on trust by those who read it. */
export interface AuditLogReader {
  /** Entries from `seq` to `seq + limit` (not included), in order: fewer where some are gone. */
  entries(organizationId: string, seq: number, limit: number): Promise<readonly LogEntry[]>;
  /** The same in the quick form. */
  sketches(organizationId: string, seq: number, limit: number): Promise<LogStretch<SketchedEntry>>;
  /** The same without the records. */
  leaves(organizationId: string, seq: number, limit: number): Promise<LogStretch<NumberedLeaf>>;
  /** Hashes of a tile level, side by side; fewer where the log has fewer. */
  hashes(organizationId: string, tileLevel: number, start: number, count: number): Promise<Buffer>;
  /** The stretch of the log from the first to the last record of a period (RFC 3339, `to` excluded); ends are like a slice's. */
  rowsOf(
    organizationId: string,
    from: string,
    to: string,
  ): Promise<{ readonly from: number; readonly to: number } | undefined>;
  /** A record and its place by its id. */
  entryOf(organizationId: string, eventId: string): Promise<LogEntry | undefined>;
  /** Rows that numbering has given out, whatever is left of them. */
  size(organizationId: string): Promise<number>;
  /** Signed notes of sizes from `from` to `to`, both included, by ascending size, each once. */
  notes(organizationId: string, from: number, to: number): Promise<readonly StoredNote[]>;
  /** The newest notes that witnesses cosigned, with their signatures; at most 20. */
  cosignedNotes(organizationId: string): Promise<readonly string[]>;
  newestNote(organizationId: string): Promise<StoredNote | undefined>;
  /** Held records from row `seq` on, at most `limit`, in order. */
  vaulted(organizationId: string, seq: number, limit: number): Promise<readonly VaultedEntry[]>;
  /** A held record by its id. */
  vaultedOf(organizationId: string, eventId: string): Promise<VaultedEntry | undefined>;
  /** The newest record that says what is in the vault. */
  vaultStated(
    organizationId: string,
  ): Promise<{ readonly resourceIds: readonly string[]; readonly afterHash: string | null } | undefined>;
  /** The pruning that reaches farthest, once its record has a place in the log: nothing is gone before. */
  pruning(organizationId: string): Promise<StoredPruning | undefined>;
  /** Which redaction took the values of records. */
  redactionsOf(organizationId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** What a redaction took, in the order of event ids. */
  redactedBy(organizationId: string, redactionId: string): Promise<readonly RedactedRecord[]>;
  /** Ids of records that numbering has passed and that have no place in the log; at most 100. */
  unnumbered(organizationId: string): Promise<readonly string[]>;
}
