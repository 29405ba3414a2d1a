import type { ExportedRecord } from '../../domain/exports/exported-record.js';
import type { AuditFilter } from '../audit-search.js';

/** A row of the log and, where it is wanted, its record. */
export interface ExportedEntry {
  readonly seq: number;
  readonly leafHash: Buffer;
  /** `gone`: the row has no record any more. */
  readonly record: ExportedRecord | 'left out' | 'gone';
}

/** Port: the log, in order, with the records that a filter wants. */
export interface ExportedEntries {
  /** First row and row after the last one of the period (RFC 3339, `to` excluded). */
  stretch(
    organizationId: string,
    period: { readonly from?: string; readonly to?: string },
  ): Promise<{ readonly from: number; readonly to: number } | undefined>;
  /** Rows from `from` on, before `to`, at most `limit`. */
  read(
    organizationId: string,
    filter: AuditFilter,
    rows: { readonly from: number; readonly to: number; readonly limit: number },
  ): Promise<readonly ExportedEntry[]>;
}
