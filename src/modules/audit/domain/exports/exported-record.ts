import { decodeCanonical, type DecodedRecord } from '../stored-record.js';

/** A record as exports and streams hand it on: the exact bytes that were hashed, and the erasable values that still exist. */
export interface ExportedRecord {
  /** Index of the leaf, from 0. */
  readonly seq: number;
  readonly leafHash: Buffer;
  readonly canon: Buffer;
  /** RFC 3339 in UTC with microseconds. */
  readonly recordedAt: string;
  readonly actor: string | null;
  readonly client: string | null;
  readonly nonce: Buffer | null;
}

/** What a record says. @throws Error for bytes that are no record of ours: `audit verify` names the row. */
export const contentOf = (record: ExportedRecord): DecodedRecord => decodeCanonical(record.canon);
