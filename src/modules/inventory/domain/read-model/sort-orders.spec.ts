import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pacer } from './pacer.js';
import { sortOrderOf } from './sort-orders.js';

const key = fc.oneof(
  fc.constant(Number.NaN),
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom(4_194_303, 4_194_304, 2 ** 33, Number.MAX_SAFE_INTEGER),
  fc.maxSafeInteger(),
);

function expected(keys: readonly number[], direction: 1 | -1): number[] {
  return keys
    .map((value, position) => ({ value, position }))
    .sort((a, b) => {
      if (Number.isNaN(a.value) || Number.isNaN(b.value)) {
        return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value)) || a.position - b.position;
      }
      const byKey = a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
      return byKey * direction || a.position - b.position;
    })
    .map(({ position }) => position);
}

describe('sortOrderOf', () => {
  it('sorts both ways, unknown last in both, ties by position', async () => {
    const nonNegative = key.filter((value) => !(value < 0));
    await fc.assert(
      fc.asyncProperty(fc.array(nonNegative, { maxLength: 60 }), async (keys) => {
        const order = await sortOrderOf(Float64Array.from(keys), new Pacer());
        expect([...order.asc]).toEqual(expected(keys, 1));
        expect([...order.desc]).toEqual(expected(keys, -1));
      }),
      { numRuns: 300 },
    );
  });

  it('handles no units, and only unknown keys', async () => {
    expect((await sortOrderOf(new Float64Array(0), new Pacer())).asc).toHaveLength(0);
    const unknown = await sortOrderOf(Float64Array.of(Number.NaN, Number.NaN), new Pacer());
    expect([...unknown.asc, ...unknown.desc]).toEqual([0, 1, 0, 1]);
  });
});
