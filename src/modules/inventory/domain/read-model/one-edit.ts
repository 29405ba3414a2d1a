/** Words shorter than this (characters) are not looked for with a typo: too many would be one letter away. */
const TYPO_CHARACTERS_MIN = 4;

const DIGIT = /\p{N}/u;

/** Whether a word may be misspelt: long enough, and without digits, which are right or mean another model. */
export function maybeMisspelt(word: string): boolean {
  return word.length >= TYPO_CHARACTERS_MIN && !DIGIT.test(word);
}

/** Whether two words are the same but for one character that is wrong, missing or surplus, or two neighbours swapped. */
export function withinOneEdit(a: string, b: string): boolean {
  if (a.length > b.length) return withinOneEdit(b, a);
  if (b.length - a.length > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  if (a.slice(at + 1) === b.slice(at + 1)) return true;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
