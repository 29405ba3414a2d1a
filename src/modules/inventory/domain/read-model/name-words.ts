import { maybeMisspelt, withinOneEdit } from './one-edit.js';
import type { Vocabulary } from './vocabulary.js';

const BETWEEN_WORDS = /[\p{P}\p{Z}\s]+/u;

/** The distinct words of makes or models that a query may misspell, each with the names that have it. */
export class NameWords {
  private readonly codesOf = new Map<string, number[]>();

  /** @param names prepared. */
  constructor(names: Vocabulary) {
    names.folded.forEach((name, code) => {
      // The whole name is a word, too: "mercedesbens" is one letter away from it.
      const words = new Set([...name.split(BETWEEN_WORDS), names.comparable[code] as string]);
      for (const word of words) if (maybeMisspelt(word)) this.enter(word, code);
    });
  }

  /** Calls back with the code of every name that has a word one edit away from the given one. Codes may repeat. */
  forEachNear(word: string, found: (code: number) => void): void {
    for (const [known, codes] of this.codesOf) if (withinOneEdit(word, known)) codes.forEach(found);
  }

  private enter(word: string, code: number): void {
    const codes = this.codesOf.get(word);
    if (codes === undefined) this.codesOf.set(word, [code]);
    else codes.push(code);
  }
}
