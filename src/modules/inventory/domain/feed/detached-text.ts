import { Buffer } from 'node:buffer';

/**
 * A copy of a text that is kept longer than its row. A text cut out of a piece of a file keeps the whole piece in memory
 * for as long as it lives.
 */
export function detachedText(text: string): string {
  return Buffer.from(text).toString();
}
