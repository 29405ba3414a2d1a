import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { JournalEntry } from '../../../kernel/ports/restore-journal.js';
import type { JournalKey } from './journal-key.js';

/** A release in the journal counts only with this behind it: its transaction committed. */
export interface Confirmation {
  readonly kind: 'confirmed';
  readonly segmentId: string;
  readonly seq: number;
}

export interface JournalRecord {
  /** When it was written, RFC 3339. */
  readonly at: string;
  readonly entry: JournalEntry | Confirmation;
}

/** Where a segment stands: how many lines it has and the hash of the last one. With `seq` 0 that of its head. */
export interface SegmentHead {
  readonly seq: number;
  readonly hash: string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD = /^forecourt-restore-journal 1 ([0-9A-HJKMNP-TV-Z]{26}) ([0-9a-f]{16})$/;
const LINE = /^([1-9]\d{0,14}) ([0-9a-f]{64}) ([A-Za-z0-9_-]{38,})$/;

export const hashOfLine = (line: string): string => createHash('sha256').update(line).digest('hex');

/** The first line of a segment. The chain of hashes begins with it. */
export const segmentHeadLine = (segmentId: string, keyId: string): string =>
  `forecourt-restore-journal 1 ${segmentId} ${keyId}`;

/** @returns undefined for a line that is no head of this segment. */
export function parseSegmentHead(line: string, segmentId: string): { readonly keyId: string } | undefined {
  const [, id, keyId] = HEAD.exec(line) ?? [];
  return id === segmentId && keyId !== undefined ? { keyId } : undefined;
}

/**
 * One entry: its number, the hash of the line before, and the entry encrypted (AES-256-GCM). Segment, number and hash are bound
 * to it, so that a line cannot be moved to another place or segment.
 */
export function sealLine(key: JournalKey, segmentId: string, before: SegmentHead, record: JournalRecord): string {
  const place = `${before.seq + 1} ${before.hash}`;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.entries, iv).setAAD(Buffer.from(`${segmentId} ${place}`));
  const sealed = Buffer.concat([iv, cipher.update(JSON.stringify(record)), cipher.final(), cipher.getAuthTag()]);
  return `${place} ${sealed.toString('base64url')}`;
}

/** Number and predecessor of a line, without opening it. Undefined for what is no line. */
export function placeOfLine(line: string): { readonly seq: number; readonly before: string } | undefined {
  const [, seq, before] = LINE.exec(line) ?? [];
  return seq === undefined || before === undefined ? undefined : { seq: Number(seq), before };
}

/** @returns undefined when the line was altered, stands in another place, or was sealed with another key. */
export function openLine(key: JournalKey, segmentId: string, line: string): JournalRecord | undefined {
  const [, seq, before, sealed] = LINE.exec(line) ?? [];
  if (sealed === undefined) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key.entries, bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(`${segmentId} ${seq} ${before}`))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as JournalRecord;
  } catch {
    return undefined;
  }
}
