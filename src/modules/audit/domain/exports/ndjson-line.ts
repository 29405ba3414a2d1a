import type { ExportGap, ExportHeldRow, ExportRow } from '../audit-export.js';
import type { ExportedRecord } from './exported-record.js';

/** A row of the verifiable export (ExportChecker). */
export function exportRow({ seq, leafHash, canon, actor, client, nonce }: ExportedRecord): ExportRow {
  return {
    seq,
    leaf: leafHash.toString('base64'),
    canon: canon.toString('utf8'),
    ...(actor === null ? {} : { actor }),
    ...(client === null ? {} : { client }),
    ...(nonce === null ? {} : { nonce: nonce.toString('hex') }),
  };
}

/** A held record, before the rows. */
export const heldRow = (record: ExportedRecord, path: readonly Uint8Array[]): ExportHeldRow => ({
  ...exportRow(record),
  path: path.map((hash) => Buffer.from(hash).toString('base64')),
});

export const ndjsonLine = (line: ExportRow | ExportHeldRow | ExportGap): string => `${JSON.stringify(line)}\n`;
