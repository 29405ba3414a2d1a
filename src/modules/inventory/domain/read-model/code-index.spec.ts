import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodeIndex } from './code-index.js';
import { foldCase } from './comparable-text.js';
import { Pacer } from './pacer.js';

async function matches(codes: readonly (readonly [string, string])[], word: string): Promise<number[]> {
  const found: number[] = [];
  const pairs = codes.map(([vin, stockNumber]) => ({ vin, stockNumber }));
  (await CodeIndex.of(pairs, new Pacer())).forEachMatch(Buffer.from(foldCase(word), 'utf8'), (index) =>
    found.push(index),
  );
  return found;
}

const code = fc.stringMatching(/^[ABab12é\n -]{0,9}$/);

describe('CodeIndex', () => {
  it('finds exactly the units whose VIN or stock number contains the word', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(code, code), { maxLength: 80 }),
        fc.stringMatching(/^[ABab12é-]{3,6}$/),
        async (codes, word) => {
          const expected = codes.flatMap((pair, index) =>
            pair.some((text) => foldCase(text).includes(foldCase(word))) ? [index] : [],
          );
          expect(await matches(codes, word)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not find a word across a VIN and a stock number, or across two units', async () => {
    const codes: [string, string][] = [
      ['AAA', 'BBB'],
      ['CCC', 'DDD'],
    ];
    expect(await matches(codes, 'AABB')).toEqual([]);
    expect(await matches(codes, 'BBCC')).toEqual([]);
    expect(await matches(codes, 'BBB')).toEqual([0]);
  });

  it('finds units behind the first 32, and nothing in an empty rooftop', async () => {
    const codes = Array.from({ length: 100 }, (_, i) => [`VIN${i}X`, `S${i}`] as const);
    expect(await matches(codes, 'vin97x')).toEqual([97]);
    expect(await matches([], 'abc')).toEqual([]);
  });
});
