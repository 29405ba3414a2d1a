import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maybeMisspelt, withinOneEdit } from './one-edit.js';

const LETTERS = 'abc';

/** Every word that one edit makes of a word, and the word itself. */
function neighboursOf(word: string): Set<string> {
  const found = new Set([word]);
  for (let at = 0; at <= word.length; at++) {
    const [before, behind] = [word.slice(0, at), word.slice(at)];
    found.add(before + behind.slice(1));
    if (behind.length > 1) found.add(before + behind.slice(1, 2) + behind.slice(0, 1) + behind.slice(2));
    for (const letter of LETTERS) {
      found.add(before + letter + behind);
      if (behind.length > 0) found.add(before + letter + behind.slice(1));
    }
  }
  return found;
}

const word = fc.string({ unit: fc.constantFrom(...Array.from(LETTERS)), maxLength: 7 });

describe('withinOneEdit', () => {
  it('holds for exactly the words that one edit makes of the other', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(withinOneEdit(a, b)).toBe(neighboursOf(a).has(b));
        expect(withinOneEdit(b, a)).toBe(neighboursOf(a).has(b));
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(word, (a) => {
        for (const neighbour of neighboursOf(a)) expect(withinOneEdit(a, neighbour)).toBe(true);
      }),
    );
  });

  it.each([
    ['toyota', 'toyta', true],
    ['toyota', 'toyyota', true],
    ['toyota', 'toyoda', true],
    ['toyota', 'tooyta', true],
    ['toyota', 'tyoota', true],
    ['toyota', 'taoyot', false],
    ['toyota', 'otyota', true],
    ['toyota', 'otyoat', false],
    ['toyota', 'toyo', false],
  ])('of %s and %s is %s', (a, b, expected) => {
    expect(withinOneEdit(a, b)).toBe(expected);
  });
});

describe('maybeMisspelt', () => {
  it('leaves short words and words with digits alone', () => {
    expect(['kia', 'ford', 'f150', 'civic2', 'škoda', '日産自動車', '٣٤٥٦'].filter(maybeMisspelt)).toEqual([
      'ford',
      'škoda',
      '日産自動車',
    ]);
  });
});
