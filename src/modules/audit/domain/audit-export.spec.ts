import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXPORT_FORMAT, ExportChecker, type ExportHeader, type ExportRow } from './audit-export.js';
import type { Checkpoint } from './log/checkpoint.js';
import { CompactRange } from './log/compact-range.js';
import { perfectRoot } from './log/hashes.js';
import { subtreesOf } from './log/subtrees.js';
import { leafOf } from './stored-record.js';

const SIZE = 200;
const canons = Array.from({ length: SIZE }, (_, i) => `["a1","req_${i}"]`);
const leaves = canons.map((canon) => leafOf(canon));
const whole = new CompactRange();
for (const leaf of leaves) whole.append(leaf);
const checkpoint: Checkpoint = { origin: 'log', size: SIZE, root: whole.root() };
const open = (note: string, origin: string): Checkpoint | undefined =>
  note === 'signed' && origin === 'log' ? checkpoint : undefined;

const hashesOf = (start: number, end: number): string[] =>
  subtreesOf(start, end).map(({ level, index }) =>
    Buffer.from(perfectRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))).toString('base64'),
  );

function exported(from: number, to: number): { header: ExportHeader; rows: ExportRow[] } {
  const sides = { before: hashesOf(0, from), after: hashesOf(to, SIZE) };
  const header = { format: EXPORT_FORMAT, origin: 'log', from, to, ...sides, checkpoint: 'signed' } as const;
  return { header, rows: canons.slice(from, to).map((canon, i) => ({ seq: from + i, canon })) };
}

function check(header: unknown, rows: readonly ExportRow[]): string {
  const checker = ExportChecker.begin(header, open);
  if (typeof checker === 'string') return checker;
  for (const row of rows) {
    const problem = checker.take(row);
    if (problem !== undefined) return problem;
  }
  return checker.end() ?? 'intact';
}

const ranges = fc.tuple(fc.nat(SIZE), fc.nat(SIZE)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

describe('an audit export', () => {
  it('holds for every range of rows', () => {
    fc.assert(
      fc.property(ranges, ([from, to]) => {
        const { header, rows } = exported(from, to);
        expect(check(header, rows)).toBe('intact');
      }),
    );
  });

  it('does not hold with a row changed, left out, doubled or moved, or with a hash changed', () => {
    fc.assert(
      fc.property(ranges, fc.nat(), ([from, to], seed) => {
        fc.pre(to > from + 1);
        const { header, rows } = exported(from, to);
        const at = seed % rows.length;
        const changed = rows.with(at, { ...rows[at]!, canon: '["a1","req_x"]' });
        expect(check(header, changed)).toBe('root_differs');
        expect(check(header, rows.toSpliced(at, 1))).toMatch(/row_out_of_place|rows_missing/);
        expect(check(header, rows.toSpliced(at, 0, rows[at]!))).toBe('row_out_of_place');
        const swapped = rows.map((row, i) => ({ ...row, canon: rows[rows.length - 1 - i]!.canon }));
        if (rows.length % 2 === 0) expect(check(header, swapped)).toBe('root_differs');
        const other = Buffer.alloc(32, 1).toString('base64');
        for (const side of ['before', 'after'] as const)
          if (header[side].length > 0)
            expect(check({ ...header, [side]: header[side].with(0, other) }, rows)).toBe('root_differs');
      }),
    );
  });

  it('is refused without a signature that covers it, without its hashes, and in another form', () => {
    const { header, rows } = exported(10, 20);
    expect(check({ ...header, checkpoint: 'forged' }, rows)).toBe('checkpoint_unsigned');
    expect(check({ ...header, to: SIZE + 1 }, rows)).toBe('checkpoint_unsigned');
    expect(check({ ...header, before: [] }, rows)).toBe('hashes_missing');
    for (const odd of [null, {}, { ...header, format: 'x' }, { ...header, from: -1 }, { ...header, after: [1] }])
      expect(check(odd, rows)).toBe('format_unknown');
  });
});
