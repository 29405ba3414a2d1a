const ASCII = /^[\0-\x7f]*$/;

/** Text without case: two spellings that differ in case only become one. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toUpperCase().toLowerCase();
}

const PUNCTUATION = /[\p{P}\p{Z}\s]+/gu;

/**
 * Text without case, punctuation and spaces, as makes and models are compared: "Mercedes-Benz" and "mercedes benz" are
 * one. A name that is nothing but punctuation stays itself.
 */
export function comparable(text: string): string {
  const folded = foldCase(text);
  const bare = folded.replace(PUNCTUATION, '');
  return bare === '' ? folded : bare;
}
