import { CONDITIONS } from '../vehicle-schema.js';
import { CODE_WORD_CHARACTERS_MIN } from './code-index.js';
import type { InventoryColumns } from './inventory-columns.js';

/** For each text, one bit per word of a query that occurs in it. */
export function wordBits(texts: readonly string[], tokens: readonly string[]): Uint16Array {
  return Uint16Array.from(texts, (text) => {
    let bits = 0;
    for (let t = 0; t < tokens.length; t++) if (text.includes(tokens[t] as string)) bits |= 1 << t;
    return bits;
  });
}

/**
 * For each variant, one bit per word that its year is, or that its make, model or condition contains.
 */
export function variantWordBits(columns: InventoryColumns, tokens: readonly string[]): Uint16Array {
  const { variants } = columns;
  const makes = wordBits(columns.makes.folded, tokens);
  const models = wordBits(columns.models.folded, tokens);
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

/**
 * For each position, one bit per word that its VIN or stock number contains; null when no unit of these segments has any.
 */
export function codeWordBits(
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
