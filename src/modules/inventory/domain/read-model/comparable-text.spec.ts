import { describe, expect, it } from 'vitest';
import { comparable, foldCase } from './comparable-text.js';

describe('comparable', () => {
  it('makes spellings one that differ in case, punctuation and spaces', () => {
    for (const spelling of ['Mercedes-Benz', 'MERCEDES BENZ', 'mercedes–benz', ' Mercedes.Benz ']) {
      expect(comparable(spelling)).toBe('mercedesbenz');
    }
    expect(comparable('F-150')).toBe(comparable('f150'));
  });

  it('keeps letters with marks, digits and signs that tell models apart', () => {
    expect(comparable('Citroën')).not.toBe(comparable('Citroen'));
    expect(comparable('500+')).not.toBe(comparable('500'));
  });

  it('leaves a name that is nothing but punctuation as it is', () => {
    expect(comparable('--')).toBe('--');
    expect(comparable('--')).not.toBe(comparable('..'));
  });
});

describe('foldCase', () => {
  it('folds beyond ASCII and composes what is decomposed', () => {
    expect(foldCase('STRASSE')).toBe(foldCase('Straße'));
    expect(foldCase('S\u030Ckoda')).toBe(foldCase('ŠKODA'));
  });
});
