import type { ExportGap, ExportRow } from '../audit-export.js';
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

export const ndjsonLine = (line: ExportRow | ExportGap): string => `${JSON.stringify(line)}\n`;
