import { checkpointSizeOf } from './checkpoint-size.js';
import type { ExportHeader } from '../../domain/audit-export.js';
import { OCSF_VERSION } from '../../domain/exports/ocsf-event.js';
import type { AuditExport, ExportPart } from './audit-export.js';

export const MANIFEST_FORMAT = 'forecourt-audit-manifest/1';

/** What came out: which rows of which log under which checkpoint, how many, and the digest of the file and of its pieces. */
export function manifestOf(
  found: AuditExport,
  header: ExportHeader,
  parts: readonly ExportPart[],
  sha256: string,
): string {
  const { origin, from, to, before, after, checkpoint } = header;
  return JSON.stringify({
    manifest: MANIFEST_FORMAT,
    export_id: found.exportId,
    format: found.format,
    ...(found.format === 'ocsf' ? { ocsf_version: OCSF_VERSION } : {}),
    filter: found.filter,
    records: found.records,
    ...(header.held === undefined ? {} : { held_records: header.held }),
    first_seq: found.firstSeq ?? null,
    last_seq: found.lastSeq ?? null,
    log: { origin, from, to, size: checkpointSizeOf(checkpoint), before, after, checkpoint },
    file: { name: fileNameOf(found), bytes: found.bytes, sha256 },
    parts: parts.map((part) => ({ bytes: part.bytes, sha256: part.sha256 })),
  });
}

const ENDINGS = { ndjson: 'ndjson', csv: 'csv', ocsf: 'ocsf.ndjson' } as const;

export const fileNameOf = ({ exportId, format }: Pick<AuditExport, 'exportId' | 'format'>): string =>
  `${exportId}.${ENDINGS[format]}`;
