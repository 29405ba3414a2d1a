import type { ExportHeader } from '../../domain/audit-export.js';
import { CSV_HEADER, csvRecord } from '../../domain/exports/csv-record.js';
import { gapOf } from '../../domain/exports/gap-hashes.js';
import { exportRow, heldRow, ndjsonLine } from '../../domain/exports/ndjson-line.js';
import { ocsfEvent } from '../../domain/exports/ocsf-event.js';
import type { ExportFormat } from './audit-export.js';
import type { ExportedEntry } from './exported-entries.js';
import type { HeldRow } from './held-rows.js';

/** How a format writes the beginning of the file and a run of rows. The same rows give the same bytes. */
export interface ExportWriter {
  begin(header: ExportHeader): string;
  /** Held records of a pruned part, before all rows. */
  held(rows: readonly HeldRow[]): string;
  rows(entries: readonly ExportedEntry[]): string;
}

/** @throws Error `a record is gone` from `rows`. */
export function writerOf(format: ExportFormat, header: ExportHeader): ExportWriter {
  if (format === 'ndjson')
    return {
      begin: (first) => `${JSON.stringify(first)}\n`,
      held: (rows) => rows.map((row) => ndjsonLine(heldRow(row, row.inclusionPath))).join(''),
      rows: ndjsonRows,
    };
  const write: (record: Wanted) => string =
    format === 'csv' ? csvRecord : (record) => `${JSON.stringify(ocsfEvent(record, header.origin))}\n`;
  return {
    begin: () => (format === 'csv' ? CSV_HEADER : ''),
    held: (rows) => rows.map(write).join(''),
    rows: (entries) => eachRecord(entries, write),
  };
}

type Wanted = Exclude<ExportedEntry['record'], string>;

function eachRecord(entries: readonly ExportedEntry[], write: (record: Wanted) => string): string {
  let text = '';
  for (const { record } of entries) if (typeof record !== 'string') text += write(record);
  return text;
}

function ndjsonRows(entries: readonly ExportedEntry[]): string {
  let text = '';
  let leftOut: ExportedEntry[] = [];
  const closeGap = (): void => {
    const [first] = leftOut;
    if (first === undefined) return;
    const leaves = leftOut.map(({ leafHash }) => leafHash);
    text += ndjsonLine(gapOf(first.seq, leaves));
    leftOut = [];
  };
  for (const entry of entries) {
    if (typeof entry.record === 'string') leftOut.push(entry);
    else {
      closeGap();
      text += ndjsonLine(exportRow(entry.record));
    }
  }
  closeGap();
  return text;
}
