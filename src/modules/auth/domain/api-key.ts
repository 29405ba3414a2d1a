import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const KEY_ID_LENGTH = 10;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const TOKEN = new RegExp(
  `^(fck_([a-z2-7]{${KEY_ID_LENGTH}})_([a-z2-7]{${SECRET_LENGTH}}))([a-z2-7]{${CHECKSUM_LENGTH}})$`,
);

/** An API key as its holder has it: `fck_<key id>_<secret><checksum>`, all lower base32. 160 bits of secret. */
export interface ApiKey {
  readonly keyId: string;
  readonly secret: string;
}

/** Draws a new key from the system's random source. */
export function generateApiKey(): ApiKey {
  return { keyId: randomBase32(KEY_ID_LENGTH), secret: randomBase32(SECRET_LENGTH) };
}

/** The text that is shown once to the holder. */
export function formatApiKey(key: ApiKey): string {
  const body = `fck_${key.keyId}_${key.secret}`;
  return body + checksumOf(body);
}

/**
 * Reads a presented token. Prefix, form and checksum are verified here, before any look-up, so that typing errors and
 * scanners cost no query.
 * @returns undefined for anything that this service cannot have issued.
 */
export function parseApiKey(token: string): ApiKey | undefined {
  const match = TOKEN.exec(token);
  if (match === null) return undefined;
  const [, body = '', keyId = '', secret = '', checksum] = match;
  return checksumOf(body) === checksum ? { keyId, secret } : undefined;
}

/** What is stored of a secret: a keyed hash. Without the pepper a copy of the table verifies nothing. */
export function hashSecret(pepper: Uint8Array, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret).digest();
}

/** Whether a secret has this hash under any of the peppers (the current one and, after a rotation, the previous). */
export function secretMatches(peppers: readonly Uint8Array[], secret: string, storedHash: Uint8Array): boolean {
  let found = false;
  for (const pepper of peppers) {
    const same = storedHash.length === 32 && timingSafeEqual(hashSecret(pepper, secret), storedHash);
    found = same || found;
  }
  return found;
}

// 32 letters divide 256: every letter is equally likely.
function randomBase32(length: number): string {
  return toBase32(randomBytes(length));
}

// 30 bits of SHA-256: a typing error passes once in a thousand million.
function checksumOf(body: string): string {
  return toBase32(createHash('sha256').update(body).digest().subarray(0, CHECKSUM_LENGTH));
}

function toBase32(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}
