import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const GROUPS = 3;
const GROUP_LENGTH = 4;
const CODE = new RegExp(`^[a-z2-7]{${GROUPS * GROUP_LENGTH}}$`);

/** Draws a code of 60 bits as a person reads it: `abcd-efgh-ijkl`. */
export function generateCode(): string {
  let text = '';
  for (const byte of randomBytes(GROUPS * GROUP_LENGTH)) text += ALPHABET.charAt(byte & 31); // 32 letters divide 256
  return text.replace(new RegExp(`.{${GROUP_LENGTH}}(?=.)`, 'g'), '$&-');
}

/** What was typed, without the blanks and dashes that people add or leave out. Undefined for what no code looks like. */
export function readCode(typed: string): string | undefined {
  const code = typed.slice(0, 64).toLowerCase().replace(/[\s-]/g, '');
  return CODE.test(code) ? code : undefined;
}

/** What is stored of a code: a keyed hash, bound to its person. @param code as {@link readCode} gives it */
export function hashCode(pepper: Uint8Array, personId: string, code: string): Buffer {
  return createHmac('sha256', pepper).update(`${personId}\0${code}`).digest();
}

/** Whether a code has this hash under any of the peppers; in the same time whether it has or not. */
export function codeMatches(
  peppers: readonly Uint8Array[],
  personId: string,
  code: string,
  storedHash: Uint8Array,
): boolean {
  let found = false;
  for (const pepper of peppers) {
    const same = storedHash.length === 32 && timingSafeEqual(hashCode(pepper, personId, code), storedHash);
    found = same || found;
  }
  return found;
}
