import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodeIndex } from './code-index.js';
import { foldCase } from './comparable-text.js';

function matches(codes: readonly (readonly [string, string])[], word: string): number[] {
  const found: number[] = [];
  CodeIndex.of(codes).forEachMatch(Buffer.from(foldCase(word), 'utf8'), (index) => found.push(index));
  return found;
}

const code = fc.stringMatching(/^[ABab12é\n -]{0,9}$/);

describe('CodeIndex', () => {
  it('finds exactly the units whose VIN or stock number contains the word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(code, code), { maxLength: 80 }),
        fc.stringMatching(/^[ABab12é-]{3,6}$/),
        (codes, word) => {
          const expected = codes.flatMap((pair, index) =>
            pair.some((text) => foldCase(text).includes(foldCase(word))) ? [index] : [],
          );
          expect(matches(codes, word)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not find a word across a VIN and a stock number, or across two units', () => {
    const codes: [string, string][] = [
      ['AAA', 'BBB'],
      ['CCC', 'DDD'],
    ];
    expect(matches(codes, 'AABB')).toEqual([]);
    expect(matches(codes, 'BBCC')).toEqual([]);
    expect(matches(codes, 'BBB')).toEqual([0]);
  });

  it('finds units behind the first 32, and nothing in an empty rooftop', () => {
    const codes = Array.from({ length: 100 }, (_, i) => [`VIN${i}X`, `S${i}`] as const);
    expect(matches(codes, 'vin97x')).toEqual([97]);
    expect(matches([], 'abc')).toEqual([]);
  });
});
