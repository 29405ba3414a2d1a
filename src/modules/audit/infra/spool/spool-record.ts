import { createHash } from 'node:crypto';
import type { AuditLine } from '../append-statement.js';

// Eight hex digits of length, sixteen of SHA-256, the payload, a line feed. The payload holds no line feed (canonical-record.ts).
const HEADER = /^[0-9a-f]{8} [0-9a-f]{16} $/;
const HEADER_BYTES = 26;
const LINE_FEED = 0x0a;

/** A stretch of a spool that is no record: torn by a crash, or damaged on the disk. */
export interface DamagedStretch {
  readonly from: number;
  readonly to: number;
}

export interface ParsedSpool {
  readonly lines: readonly AuditLine[];
  /** Positions in the bytes given. */
  readonly damaged: readonly DamagedStretch[];
  /** How many bytes were understood or found to be damaged; what follows needs more bytes. */
  readonly consumed: number;
}

/** One record as it lies in a spool file. */
export function encodeSpoolRecord({ organizationId, line }: AuditLine): Buffer {
  const payload = Buffer.from(`${organizationId}\t${line}`);
  const length = payload.length.toString(16).padStart(8, '0');
  return Buffer.concat([Buffer.from(`${length} ${checksumOf(payload)} `), payload, Buffer.from('\n')]);
}

/**
 * Reads up to `most` records. After a damaged one it goes on behind the next line feed, so that one bad place costs one
 * record.
 * @param complete no more bytes will follow: a record without its end is torn
 */
export function parseSpool(bytes: Buffer, most: number, complete: boolean): ParsedSpool {
  const lines: AuditLine[] = [];
  const damaged: DamagedStretch[] = [];
  let at = 0;
  while (at < bytes.length && lines.length < most) {
    const record = recordAt(bytes, at);
    if (record !== undefined) {
      lines.push(record.line);
      at = record.end;
      continue;
    }
    const lineFeed = bytes.indexOf(LINE_FEED, at);
    if (lineFeed === -1 && !complete) break;
    const to = lineFeed === -1 ? bytes.length : lineFeed + 1;
    damaged.push({ from: at, to });
    at = to;
  }
  return { lines, damaged, consumed: at };
}

function recordAt(bytes: Buffer, at: number): { readonly line: AuditLine; readonly end: number } | undefined {
  const header = bytes.toString('latin1', at, at + HEADER_BYTES);
  if (!HEADER.test(header)) return undefined;
  const start = at + HEADER_BYTES;
  const end = start + parseInt(header.slice(0, 8), 16);
  if (end >= bytes.length || bytes[end] !== LINE_FEED) return undefined;
  const payload = bytes.subarray(start, end);
  if (checksumOf(payload) !== header.slice(9, 25)) return undefined;
  const text = payload.toString('utf8');
  const tab = text.indexOf('\t');
  return { line: { organizationId: text.slice(0, tab), line: text.slice(tab + 1) }, end: end + 1 };
}

const checksumOf = (payload: Buffer): string => createHash('sha256').update(payload).digest('hex').slice(0, 16);
