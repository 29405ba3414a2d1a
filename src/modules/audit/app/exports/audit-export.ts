import type { ExportHeader } from '../../domain/audit-export.js';
import type { AuditFilter } from '../audit-search.js';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'ocsf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Why an export ended without a file. */
export type ExportFailure = 'nothing_covered' | 'record_gone';

/** An export of an organization's trail, as it stands. */
export interface AuditExport {
  readonly exportId: string;
  readonly format: ExportFormat;
  readonly filter: AuditFilter;
  /** `superseded`: values that it holds were redacted afterwards; it is handed out no more. */
  readonly state: 'queued' | 'running' | 'ready' | 'failed' | 'superseded';
  /** Kind and id of who asked for it. */
  readonly requestedBy: string;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAt: number;
  readonly attempt: number;
  /** The stretch of the log and the checkpoint that covers it; absent until a worker has begun. */
  readonly header?: ExportHeader;
  /** Index of the row that is looked at next. */
  readonly nextSeq?: number;
  readonly records: number;
  readonly bytes: number;
  readonly firstSeq?: number;
  readonly lastSeq?: number;
  /** JSON text; there when the export is ready. */
  readonly manifest?: string;
  readonly failure?: ExportFailure;
  readonly finishedAt?: number;
  /** The redaction that ended it: the id of its audit record. */
  readonly supersededBy?: string;
}

/** A piece of the file, kept by its content. */
export interface ExportPart {
  readonly storageKey: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** What a piece adds to an export. */
export interface PartProgress {
  /** Row that the piece began at: the export has to stand there still. */
  readonly from: number;
  /** Row after the last one that was looked at. */
  readonly to: number;
  readonly records: number;
  readonly firstSeq?: number;
  readonly lastSeq?: number;
}
