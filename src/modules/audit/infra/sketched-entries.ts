import type { SketchedEntry } from '../app/audit-log-reader.js';

const LEAF_DIGITS = 64;
const NONCE_DIGITS = 32;

/**
 * Reads the text of SKETCHES: place and leaf, and for records in plain text where the commitments begin and end, the lengths of actor,
 * client and canon, the nonce, and these three.
 */
export function sketchedEntries(text: string | null): readonly SketchedEntry[] {
  const entries: SketchedEntry[] = [];
  if (text === null) return entries;
  let at = 0;
  const number = (): number => {
    const end = text.indexOf(' ', at);
    const value = Number(text.slice(at, end));
    at = end + 1;
    return value;
  };
  const take = (length: number): string => {
    at += length;
    return text.slice(at - length, at);
  };
  // An erasable value that is there is never empty; one without a length is none.
  const value = (length: number): string | null => (length === 0 ? null : take(length));
  while (at < text.length) {
    const seq = number();
    const leafHash = Buffer.from(take(LEAF_DIGITS), 'hex');
    if (take(1) === ';') {
      entries.push({ seq, leafHash, sketch: null });
      continue;
    }
    const [from, to, actorLength, clientLength, length] = [number(), number(), number(), number(), number()];
    const nonce = take(NONCE_DIGITS);
    const [actor, client] = [value(actorLength), value(clientLength)];
    entries.push({ seq, leafHash, sketch: { nonce, actor, client, canon: take(length), from, to } });
  }
  return entries;
}
