import { CONDITIONS } from '../vehicle-schema.js';
import { CODE_WORD_CHARACTERS_MIN } from './code-index.js';
import { comparable } from './comparable-text.js';
import type { InventoryColumns } from './inventory-columns.js';
import type { NameWords } from './name-words.js';
import { maybeMisspelt } from './one-edit.js';
import type { Vocabulary } from './vocabulary.js';

/** Where the words of a query occur: bit t is set where word t does. */
export interface WordMatches {
  /** For each variant: its year is the word, or its make, model or condition contains it. */
  readonly variantBits: Uint16Array;
  readonly trimBits: Uint16Array;
  /** For each position: its VIN or stock number contains it; null when no unit of the segments has any. */
  readonly codeBits: Uint8Array | null;
}

/**
 * Finds the words of a query in units of some segments. A word that no unit of them contains is looked for among makes and
 * models with one letter wrong, missing, surplus or swapped. What units elsewhere contain does not decide that: a caller
 * learns nothing about rooftops that are not searched.
 */
export function matchWords(
  columns: InventoryColumns,
  segments: readonly number[],
  tokens: readonly string[],
): WordMatches {
  const matches = {
    variantBits: variantWordBits(columns, tokens),
    trimBits: wordBits(columns.trims.folded, tokens),
    codeBits: codeWordBits(columns, segments, tokens),
  };
  const suspects = tokens.map((token) => (isSuspect(token) ? comparable(token) : null));
  const missing = missingBits(columns, segments, matches, bitsOf(suspects, Boolean));
  if (missing !== 0) addNearNames(columns, suspects, missing, matches.variantBits);
  return matches;
}

/** A word of the condition vocabulary is understood, even where no unit is in that condition. */
function isSuspect(token: string): boolean {
  return maybeMisspelt(comparable(token)) && !CONDITIONS.some((condition) => condition.includes(token));
}

/** The suspects, as bits, that no unit of the segments contains. Ends early: most words are spelt right. */
function missingBits(
  { starts, variant, trim }: InventoryColumns,
  segments: readonly number[],
  { variantBits, trimBits, codeBits }: WordMatches,
  suspects: number,
): number {
  let missing = suspects;
  for (const segment of segments) {
    const end = starts[segment + 1] as number;
    for (let position = starts[segment] as number; position < end && missing !== 0; position++) {
      missing &= ~(variantBits[variant[position] as number] as number);
      missing &= ~(trimBits[trim[position] as number] as number);
      if (codeBits !== null) missing &= ~(codeBits[position] as number);
    }
  }
  return missing;
}

function addNearNames(
  columns: InventoryColumns,
  suspects: readonly (string | null)[],
  missing: number,
  variantBits: Uint16Array,
): void {
  const { makes, models, makeWords, modelWords, variants } = columns;
  const nearMakes = nearBits(makes, makeWords, suspects, missing);
  const nearModels = nearBits(models, modelWords, suspects, missing);
  for (let i = 0; i < variantBits.length; i++) {
    const near =
      (nearMakes[variants.make[i] as number] as number) | (nearModels[variants.model[i] as number] as number);
    variantBits[i] = (variantBits[i] as number) | near;
  }
}

function nearBits(
  names: Vocabulary,
  words: NameWords,
  suspects: readonly (string | null)[],
  missing: number,
): Uint16Array {
  const bits = new Uint16Array(names.values.length);
  suspects.forEach((suspect, t) => {
    const bit = missing & (1 << t);
    if (suspect === null || bit === 0) return;
    words.forEachNear(suspect, (code) => {
      bits[code] = (bits[code] as number) | bit;
    });
  });
  return bits;
}

function variantWordBits(columns: InventoryColumns, tokens: readonly string[]): Uint16Array {
  const { variants } = columns;
  const makes = nameBits(columns.makes, tokens);
  const models = nameBits(columns.models, tokens);
  const conditions = wordBits(CONDITIONS, tokens);
  const years = tokens.map((token) => (/^\d{4}$/.test(token) ? Number(token) : -1));
  const bits = new Uint16Array(variants.year.length);
  for (let i = 0; i < bits.length; i++) {
    let word =
      (makes[variants.make[i] as number] as number) |
      (models[variants.model[i] as number] as number) |
      (conditions[variants.condition[i] as number] as number);
    for (let t = 0; t < years.length; t++) if (years[t] === variants.year[i]) word |= 1 << t;
    bits[i] = word;
  }
  return bits;
}

/** Makes and models without their punctuation: "f150" and "F-150" are in "F-150". A word of punctuation is taken as it is. */
function nameBits({ folded, comparable: bare }: Vocabulary, tokens: readonly string[]): Uint16Array {
  const marks = tokens.filter((token) => !HAS_LETTER.test(token));
  const bits = wordBits(bare, tokens.map(comparable));
  if (marks.length === 0) return bits;
  return wordBits(folded, tokens).map((inFolded, code) => {
    const markBits = bitsOf(tokens, (token) => marks.includes(token));
    return (inFolded & markBits) | ((bits[code] as number) & ~markBits);
  });
}

const HAS_LETTER = /[^\p{P}\p{Z}\s]/u;

/** For each text, one bit per word that occurs in it. */
function wordBits(texts: readonly string[], tokens: readonly string[]): Uint16Array {
  return Uint16Array.from(texts, (text) => bitsOf(tokens, (token) => text.includes(token)));
}

function bitsOf<T>(items: readonly T[], isSet: (item: T) => boolean): number {
  let bits = 0;
  for (let t = 0; t < items.length; t++) if (isSet(items[t] as T)) bits |= 1 << t;
  return bits;
}

function codeWordBits(
  columns: InventoryColumns,
  segments: readonly number[],
  tokens: readonly string[],
): Uint8Array | null {
  let bits: Uint8Array | null = null;
  tokens.forEach((token, t) => {
    if (Array.from(token).length < CODE_WORD_CHARACTERS_MIN) return;
    const word = Buffer.from(token, 'utf8');
    for (const segment of segments) {
      const start = columns.starts[segment] as number;
      columns.segments[segment]?.parts.codeIndex.forEachMatch(word, (index) => {
        bits ??= new Uint8Array(columns.variant.length);
        bits[start + index] = (bits[start + index] as number) | (1 << t);
      });
    }
  });
  return bits;
}
