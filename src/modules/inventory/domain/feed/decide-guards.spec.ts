import { describe, expect, it } from 'vitest';
import { decideGuards } from './decide-guards.js';

const sound = { rows: 100, quarantined: 3 };

describe('holding a whole file', () => {
  it('publishes a file with few bad rows', () => {
    expect(decideGuards({ tally: sound, previousCounts: { a: 100 }, newCounts: { a: 97 } })).toEqual([]);
  });

  it('holds a file with too many bad rows; the share itself is still allowed', () => {
    const counts = { previousCounts: {}, newCounts: {} };
    expect(decideGuards({ tally: { rows: 100, quarantined: 60 }, ...counts })).toEqual(['bad_row_share']);
    expect(decideGuards({ tally: { rows: 100, quarantined: 25 }, ...counts })).toEqual([]);
    expect(decideGuards({ tally: { rows: 100, quarantined: 60 }, ...counts, guards: { badRowShare: 1 } })).toEqual([]);
  });

  it('holds a file that would empty or halve a rooftop, and names the rooftop', () => {
    const input = { tally: sound, previousCounts: { a: 100, b: 10, c: 10 }, newCounts: { a: 49, b: 5 } };
    expect(decideGuards(input)).toEqual(['shrink:a', 'shrink:c']);
  });

  it('holds an empty file wherever something was published', () => {
    expect(decideGuards({ tally: { rows: 0, quarantined: 0 }, previousCounts: { a: 1, b: 0 }, newCounts: {} })).toEqual(
      ['shrink:a'],
    );
  });
});
