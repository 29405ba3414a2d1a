import type { LedgerAnswer, LedgerConclusion, LedgerPosition } from '../domain/feed/row-ledger.js';
import type { QuarantinedRow, UnitRow } from '../domain/feed/row-outcome.js';
import type { RowDisposition, RunRow } from './feed-run.js';

/** What the report says of a refused row: the first reason, and the others as detail. */
export function quarantineNote(row: QuarantinedRow): RunRow {
  const [first, ...others] = row.problems;
  const detail = others.map((p) => (p.column === undefined ? p.reason : `${p.reason} (${p.column})`)).join(', ');
  return {
    ...row.at,
    columnName: first?.column ?? null,
    disposition: 'quarantined',
    reason: row.reason,
    rooftopId: row.rooftopId ?? null,
    vin: row.vin ?? null,
    detail: detail === '' ? null : detail.slice(0, 500),
  };
}

/** What the report says of a sound row: nothing of most. */
export function unitNotes(row: UnitRow, answer: LedgerAnswer): RunRow[] {
  if (answer.kind === 'conflict') return []; // all rows of a conflict are listed when the file has ended
  const notes = row.flags.map(({ flag, column }) => note(row, 'flagged', flag, { columnName: column ?? null }));
  if (answer.kind === 'collapsed')
    return [note(row, 'collapsed', 'duplicate_identical', { detail: `same as line ${answer.sameAsLine}` })];
  if (row.withheld !== undefined) notes.push(note(row, 'withheld', row.withheld, {}));
  return notes;
}

/** What the report says about rows in the light of each other. */
export function conclusionNotes(conclusion: LedgerConclusion): RunRow[] {
  return [
    ...conclusion.conflicts.flatMap(({ rooftopId, vin, positions }) =>
      positions.map((at) =>
        groupNote(at, 'quarantined', 'duplicate_conflict', { rooftopId, vin, detail: linesOf(positions) }),
      ),
    ),
    ...conclusion.sharedStockNumbers.flatMap(({ rooftopId, positions }) =>
      positions.map((at) => groupNote(at, 'flagged', 'stock_number_shared', { rooftopId, detail: linesOf(positions) })),
    ),
    ...conclusion.sharedVins.flatMap(({ vin, positions }) =>
      positions.map((at) => groupNote(at, 'flagged', 'vin_at_two_rooftops', { vin, detail: linesOf(positions) })),
    ),
  ];
}

function note({ at, unit }: UnitRow, disposition: RowDisposition, reason: string, more: Partial<RunRow>): RunRow {
  return {
    ...at,
    columnName: null,
    disposition,
    reason,
    rooftopId: unit.rooftopId,
    vin: unit.vin,
    detail: null,
    ...more,
  };
}

function groupNote(
  { line, record }: LedgerPosition,
  disposition: RowDisposition,
  reason: string,
  more: Partial<RunRow>,
): RunRow {
  return { line, record, columnName: null, disposition, reason, rooftopId: null, vin: null, detail: null, ...more };
}

const LINES_NAMED = 20;

function linesOf(positions: readonly LedgerPosition[]): string {
  const lines = positions.slice(0, LINES_NAMED).map((p) => p.line);
  return `lines ${lines.join(', ')}${positions.length > LINES_NAMED ? ' and more' : ''}`;
}
