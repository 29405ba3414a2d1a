import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DelimitedShape } from './delimited-reader.js';
import { DelimitedReader } from './delimited-reader.js';
import type { FeedRecord } from './feed-record.js';

const SHAPE: DelimitedShape = { delimiter: ',', quoting: true, columns: 3, header: false, recordLimit: 1000 };

function read(text: string | readonly string[], shape: Partial<DelimitedShape> = {}): FeedRecord[] {
  const reader = new DelimitedReader({ ...SHAPE, ...shape });
  const pieces = typeof text === 'string' ? [text] : text;
  return [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.end()];
}

/** `line: cells` for a read record, `line: reason` for a spoilt one. */
const brief = (records: readonly FeedRecord[]): string[] =>
  records.map((r) => `${String(r.at.line)}: ${'spoilt' in r ? r.spoilt : r.cells.join('|')}`);

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

describe('reading delimited text', () => {
  it('reads LF, CRLF and CR line ends in one file and numbers physical lines', () => {
    expect(brief(read('a,b,c\nd,e,f\r\ng,h,i\rj,k,l'))).toEqual(['1: a|b|c', '2: d|e|f', '3: g|h|i', '4: j|k|l']);
  });

  it('takes quoted separators, line ends and doubled quotes as text, and counts the lines they span', () => {
    const text = '"a,1","b\nb\r\nb","say ""hi"""\nd,e,f\n';
    expect(brief(read(text))).toEqual(['1: a,1|b\nb\r\nb|say "hi"', '4: d|e|f']);
  });

  it('does not take blank lines for rows', () => {
    const records = read('\n\na,b,c\n   \nd,e,f\n\n');
    expect(records.map((r) => [r.at.line, r.at.record])).toEqual([
      [3, 1],
      [5, 2],
    ]);
  });

  it('takes a quote inside a cell as text', () => {
    expect(brief(read('20" Wheels,b,c\n'))).toEqual(['1: 20" Wheels|b|c']);
  });

  it('takes every quote as text where the format has no quoting', () => {
    expect(brief(read('"a|b"|c\n', { delimiter: '|', quoting: false }))).toEqual(['1: "a|b"|c']);
  });

  it('refuses a wrong number of columns, also of a quoted row', () => {
    expect(brief(read('a,b\n"a",b,c,d\na,b,c\n'))).toEqual(['1: column_count', '2: column_count', '3: a|b|c']);
  });

  it.each([
    ['followed by text', 'a,"b,c\n1,"2",3\n'],
    ['open until the end', 'a,"b,c\n1,2,3\n'],
    ['closed by a later row into a wrong number of columns', 'a,"b,c\n1,2,3"\n'],
    ['longer than a record may be', `a,"b,c\n1,2,3\n${'x'.repeat(300)},y,z\n`.padEnd(1400, '.')],
  ])('an opening quote that never closes spoils its own line only: %s', (_, text) => {
    const records = brief(read(text));
    expect(records[0]).toBe('1: quote_unbalanced');
    expect(records[1]).toMatch(/^2: 1\|2\|3/);
  });

  it('reads every other row when many lines have an opening quote that never closes', () => {
    const rows = Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? `${String(i)},"b,c` : `${String(i)},b,c`));
    const records = read(`${rows.join('\n')}\n`);
    expect(records).toHaveLength(200);
    records.forEach((record, i) => {
      expect('spoilt' in record ? record.spoilt : record.cells[0]).toBe(i % 3 === 0 ? 'quote_unbalanced' : String(i));
    });
  });

  it('passes a line that is too long without holding it', () => {
    const long = 'x'.repeat(5000);
    const pieces = [`a,b,c\n${long}`, long, `${long},`, 'y\r', '\nd,e,f\n'];
    expect(brief(read(pieces))).toEqual(['1: a|b|c', '2: record_too_large', '3: d|e|f']);
  });

  it('gives back any cells that were written by the rules of RFC 4180', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '|', '\t'), maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 }),
        fc.constantFrom(',', '|', '\t'),
        (rows, delimiter) => {
          const text = rows.map((cells) => cells.map(quote).join(delimiter) + '\r\n').join('');
          const records = read(text, { delimiter });
          expect(records.map((r) => ('spoilt' in r ? r.spoilt : r.cells))).toEqual(rows);
        },
      ),
    );
  });

  it('gives the same records however the text is cut', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' '), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), (pieces, quoting) => {
        expect(read(pieces, { quoting, recordLimit: 1_000_000 })).toEqual(
          read(pieces.join(''), { quoting, recordLimit: 1_000_000 }),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('reads hostile quoting in linear time', () => {
    // Every line closes the quote of the line before it and opens another one.
    const text = '","\n'.repeat(60_000);
    const started = process.cpuUsage().user;
    expect(read(text, { recordLimit: 1_048_576 }).length).toBeGreaterThan(10_000);
    expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(5);
  });
});
