import { rfc3339 } from '../../../kernel/time.js';
import type { AuditExport } from '../app/exports/audit-export.js';

/** An export as the admin API shows it, with how far it is. */
export function exportView(found: AuditExport): object {
  const { header, nextSeq, manifest } = found;
  return {
    export_id: found.exportId,
    format: found.format,
    filter: found.filter,
    state: found.state,
    requested_by: found.requestedBy,
    requested_at: rfc3339(found.requestedAt),
    finished_at: found.finishedAt === undefined ? null : rfc3339(found.finishedAt),
    progress: {
      rows: header === undefined ? null : header.to - header.from,
      rows_done: header === undefined ? 0 : (nextSeq ?? header.from) - header.from,
      records: found.records,
      bytes: found.bytes,
    },
    failure: found.failure ?? null,
    superseded_by: found.supersededBy ?? null,
    manifest: manifest === undefined ? null : (JSON.parse(manifest) as object),
  };
}
