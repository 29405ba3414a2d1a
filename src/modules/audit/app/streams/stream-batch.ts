import { exportRow } from '../../domain/exports/ndjson-line.js';
import { ocsfEvent } from '../../domain/exports/ocsf-event.js';
import type { ExportedEntry } from '../exports/exported-entries.js';
import type { StreamFormat } from './audit-stream.js';

export const BATCH_ROWS = 200;
const BATCH_BYTES = 512 * 1024;

/** One delivery: rows `from` to `to` (not included) without a gap. The same rows have the same id and the same body. */
export interface StreamBatch {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly body: object;
}

/**
 * As many of the entries as fit. A row whose record is gone is sent as its leaf hash alone, so that the numbers have no gap.
 * @param entries in order, at least one
 */
export function batchOf(
  entries: readonly ExportedEntry[],
  place: { readonly streamId: string; readonly log: string; readonly format: StreamFormat; readonly replayId?: string },
): StreamBatch {
  const rows: object[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const row = rowOf(entry, place);
    bytes += JSON.stringify(row).length;
    if (rows.length > 0 && bytes > BATCH_BYTES) break;
    rows.push(row);
  }
  const from = entries[0]?.seq ?? 0;
  const to = from + rows.length;
  const { streamId, log, format, replayId } = place;
  return {
    id: `${replayId ?? streamId}.${from}-${to}`,
    from,
    to,
    body: { type: 'audit.rows', stream_id: streamId, replay_id: replayId ?? null, log, format, from, to, rows },
  };
}

function rowOf(
  { seq, leafHash, record }: ExportedEntry,
  { format, log }: { readonly format: StreamFormat; readonly log: string },
): object {
  if (typeof record === 'string') return { seq, leaf: leafHash.toString('base64'), gone: true };
  return format === 'ocsf' ? { seq, event: ocsfEvent(record, log) } : exportRow(record);
}
