import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../../../../../test/fixtures/feeds/collect-garbage.js';
import type { ListedUnit } from '../listed-unit.js';
import { FeedTally } from './feed-tally.js';
import { RowLedger } from './row-ledger.js';
import type { UnitRow, WithheldReason } from './row-outcome.js';

function row(
  line: number,
  vin: string,
  print: string,
  change: { stock?: string; roof?: string; withheld?: WithheldReason } = {},
): UnitRow {
  const unit = { rooftopId: change.roof ?? 'roof.a', vin, stockNumber: change.stock ?? `S-${vin}` } as ListedUnit;
  const withheld = change.withheld === undefined ? {} : { withheld: change.withheld };
  return {
    kind: 'unit',
    at: { line, record: line - 1 },
    unit,
    flags: [],
    columns: {},
    fingerprint: print,
    ...withheld,
  };
}

function run(...rows: readonly UnitRow[]) {
  const [ledger, tally] = [new RowLedger(), new FeedTally()];
  const answers = rows.map((r) => {
    const answer = ledger.add(r);
    tally.add(r, answer);
    return answer.kind;
  });
  const conclusion = ledger.conclude();
  tally.conclude(conclusion);
  return { answers, conclusion, tally: tally.snapshot() };
}

describe('finding duplicates of a file', () => {
  it('keeps the first of identical rows and collapses the others', () => {
    const { answers, conclusion, tally } = run(row(2, 'A', 'x'), row(3, 'B', 'y'), row(4, 'A', 'x'), row(5, 'A', 'x'));
    expect(answers).toEqual(['first', 'first', 'collapsed', 'collapsed']);
    expect(conclusion.conflicts).toEqual([]);
    expect(tally).toMatchObject({ rows: 4, publishable: 2, collapsed: 2, quarantined: 0 });
  });

  it('quarantines all of differing rows, also a repeat that had been collapsed before', () => {
    const { answers, conclusion, tally } = run(
      row(2, 'A', 'x', { withheld: 'sold' }),
      row(3, 'A', 'x', { withheld: 'sold' }),
      row(4, 'A', 'y'),
      row(5, 'A', 'x'),
      row(6, 'B', 'x'),
    );
    expect(answers).toEqual(['first', 'collapsed', 'conflict', 'conflict', 'first']);
    expect(conclusion.conflicts).toEqual([
      {
        rooftopId: 'roof.a',
        vin: 'A',
        positions: [
          { line: 2, record: 1, was: 'sold' },
          { line: 3, record: 2, was: 'collapsed' },
          { line: 4, record: 3, was: 'conflict' },
          { line: 5, record: 4, was: 'conflict' },
        ],
      },
    ]);
    expect(tally).toMatchObject({ rows: 5, publishable: 1, withheld: 0, collapsed: 0, quarantined: 4 });
    expect(tally.quarantinedBy).toEqual({ duplicate_conflict: 4 });
  });

  it('names a stock number on several cars of a rooftop, but not the same number at another rooftop', () => {
    const { conclusion, tally } = run(
      row(2, 'A', 'a', { stock: '1' }),
      row(3, 'B', 'b', { stock: '1' }),
      row(4, 'B', 'b', { stock: '1' }),
      row(5, 'C', 'c', { stock: '1', roof: 'roof.b' }),
    );
    expect(conclusion.sharedStockNumbers).toEqual([
      {
        rooftopId: 'roof.a',
        stockNumber: '1',
        positions: [
          { line: 2, record: 1, was: 'publishable' },
          { line: 3, record: 2, was: 'publishable' },
        ],
      },
    ]);
    expect(tally.flags).toEqual({ stock_number_shared: 2 });
  });

  it('names a car at two rooftops', () => {
    const { conclusion, answers } = run(row(2, 'A', 'a'), row(3, 'A', 'b', { roof: 'roof.b' }));
    expect(answers).toEqual(['first', 'first']);
    expect(conclusion.sharedVins.map(({ vin, positions }) => [vin, positions.map((p) => p.line)])).toEqual([
      ['A', [2, 3]],
    ]);
  });

  it('finds every duplicate among many rows in little memory', () => {
    const ledger = new RowLedger();
    const total = 100_000;
    collectGarbage();
    const before = process.memoryUsage();
    for (let i = 0; i < total; i++) ledger.add(row(i + 2, `VIN${String(i)}`, String(i)));
    collectGarbage();
    const after = process.memoryUsage();
    // 150 bytes a row: 400,000 rows in 60 MB.
    expect(after.arrayBuffers - before.arrayBuffers + after.heapUsed - before.heapUsed).toBeLessThan(150 * total);
    const repeats = Array.from(
      { length: 1000 },
      (_, i) => ledger.add(row(total + i, `VIN${String(i * 97)}`, String(i * 97))).kind,
    );
    expect(new Set(repeats)).toEqual(new Set(['collapsed']));
    expect(ledger.add(row(2, `VIN${String(total)}`, 'new')).kind).toBe('first');
  });
});
