import { isDeepStrictEqual } from 'node:util';
import { decodeCanonical, matchesCommitment } from '../domain/stored-record.js';
import type { StoredRow } from './audit-log-reader.js';

/** What can be wrong with a record in itself: bytes that are none of ours, a column or an erasable value that differs. */
export type RowProblem = 'record_unreadable' | 'column_changed' | 'value_changed';

/** Holds the typed columns and the erasable values against the canonical bytes. Erased values are no problem. */
export function checkRow(row: StoredRow): RowProblem | undefined {
  let decoded;
  try {
    decoded = decodeCanonical(row.canon);
  } catch {
    return 'record_unreadable';
  }
  const { actorCommitment, clientCommitment, ...columns } = decoded;
  if (!isDeepStrictEqual(columns, { ...row.columns })) return 'column_changed';
  const sound = holds(row, 'actor', actorCommitment) && holds(row, 'client', clientCommitment);
  return sound ? undefined : 'value_changed';
}

function holds(row: StoredRow, field: 'actor' | 'client', committed: string | null): boolean {
  const value = row[field];
  if (value === null) return committed === null || row.nonce === null;
  return committed !== null && row.nonce !== null && matchesCommitment(committed, row.nonce, field, value);
}
