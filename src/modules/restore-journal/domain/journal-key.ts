import { createHash, createHmac, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** A key of the journal, and what is derived from it: one for entries, one for subjects. */
export interface JournalKey {
  /** Named in the head of each segment, so that the right one is taken after a rotation. */
  readonly keyId: string;
  readonly entries: Buffer;
  readonly subjects: Buffer;
}

/** @throws Error for anything but 32 bytes in base64; the message holds nothing of it. */
export function readJournalKey(text: string): JournalKey {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== KEY_BYTES)
    throw new Error('the key of the restore journal must be 32 bytes in base64, from: openssl rand -base64 32');
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', bytes, 'forecourt-restore-journal', purpose, KEY_BYTES));
  const keyId = createHash('sha256').update(derive('id')).digest('hex').slice(0, 16);
  return { keyId, entries: derive('entries'), subjects: derive('subjects') };
}

/** HMAC-SHA-256, hex. The organization is part of it: the same person of two groups cannot be matched. */
export function subjectHashOf(key: JournalKey, organizationId: string, subject: string): string {
  return createHmac('sha256', key.subjects).update(`${organizationId}\0${subject}`).digest('hex');
}
