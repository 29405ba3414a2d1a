import type { ExportedRecord } from '../../domain/exports/exported-record.js';
import type { VaultPlace } from '../../domain/vault.js';
import type { AuditFilter } from '../audit-search.js';

/** A row of the log and, where it is wanted, its record. */
export interface ExportedEntry {
  readonly seq: number;
  readonly leafHash: Buffer;
  /** `gone`: the row has no record any more. */
  readonly record: ExportedRecord | 'left out' | 'gone';
}

/** A held record of a pruned part, with its place there. */
export interface HeldEntry extends ExportedRecord, VaultPlace {}

/** Port: the log, in order, with the records that a filter wants. */
export interface ExportedEntries {
  /** First row that the log itself has to have. */
  minIndex(organizationId: string): Promise<number>;
  /** How many held records of the pruned part a filter wants. */
  countHeld(organizationId: string, filter: AuditFilter): Promise<number>;
  /** These from row `from` on, before row `to`, at most `limit`, in order. */
  held(
    organizationId: string,
    filter: AuditFilter,
    rows: { readonly from: number; readonly to: number; readonly limit: number },
  ): Promise<readonly HeldEntry[]>;
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
