import type { JournalKey } from './journal-key.js';
import {
  hashOfLine,
  type JournalRecord,
  openLine,
  parseSegmentHead,
  placeOfLine,
  type SegmentHead,
} from './journal-line.js';

export type SegmentDamage = 'head_unreadable' | 'key_unknown' | 'altered' | 'out_of_order';

export interface ReadEntry extends SegmentHead {
  readonly segmentId: string;
  readonly record: JournalRecord;
}

export interface SegmentReading {
  readonly segmentId: string;
  /** The last line that is whole. */
  readonly head: SegmentHead;
  /** Every line that is authentic for its place, also behind a damaged one. */
  readonly entries: readonly ReadEntry[];
  /** Hash of each whole line by its number. */
  readonly hashes: ReadonlyMap<number, string>;
  /** The first thing that is not as it was written, and its line counted from 1. */
  readonly damage: { readonly kind: SegmentDamage; readonly line: number } | undefined;
  /** The end was being written when the process died: nobody was answered. Bytes. */
  readonly tornBytes: number;
}

/** Reads a whole segment: chain of hashes, numbers, and the seal of every line. */
export function readSegment(segmentId: string, bytes: Buffer, keys: readonly JournalKey[]): SegmentReading {
  const { lines, tornBytes } = wholeLines(bytes);
  const [first] = lines;
  const start = { seq: 0, hash: hashOfLine(first ?? '') };
  const empty = { segmentId, head: start, entries: [], hashes: new Map<number, string>(), tornBytes };
  if (first === undefined) return { ...empty, damage: undefined };
  const named = parseSegmentHead(first, segmentId);
  if (named === undefined) return { ...empty, damage: { kind: 'head_unreadable', line: 1 } };
  const key = keys.find(({ keyId }) => keyId === named.keyId);
  if (key === undefined) return { ...empty, damage: { kind: 'key_unknown', line: 1 } };
  return { ...readLines(segmentId, lines, key), tornBytes };
}

function readLines(segmentId: string, lines: readonly string[], key: JournalKey): Omit<SegmentReading, 'tornBytes'> {
  const entries: ReadEntry[] = [];
  const hashes = new Map<number, string>();
  let head: SegmentHead = { seq: 0, hash: hashOfLine(lines[0] ?? '') };
  let damage: SegmentReading['damage'];
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue;
    const place = placeOfLine(line);
    const record = openLine(key, segmentId, line);
    const kind = damageOf(place, record, head);
    if (kind !== undefined) damage ??= { kind, line: i + 1 };
    // Goes on from what the line itself says, so that one bad place costs one entry.
    head = { seq: place?.seq ?? head.seq + 1, hash: hashOfLine(line) };
    hashes.set(head.seq, head.hash);
    if (record !== undefined) entries.push({ segmentId, ...head, record });
  }
  return { segmentId, head, entries, hashes, damage };
}

function damageOf(
  place: { readonly seq: number; readonly before: string } | undefined,
  record: JournalRecord | undefined,
  head: SegmentHead,
): SegmentDamage | undefined {
  if (place === undefined) return 'altered';
  if (place.seq !== head.seq + 1) return 'out_of_order';
  return place.before === head.hash && record !== undefined ? undefined : 'altered';
}

/** Numbers and hashes of the last lines, without opening them. The first line is the head, or the rest of one, and left out. */
export function readTail(bytes: Buffer): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  for (const line of wholeLines(bytes).lines.slice(1)) {
    const place = placeOfLine(line);
    if (place !== undefined) hashes.set(place.seq, hashOfLine(line));
  }
  return hashes;
}

function wholeLines(bytes: Buffer): { readonly lines: readonly string[]; readonly tornBytes: number } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const lines = end === 0 ? [] : bytes.toString('latin1', 0, end - 1).split('\n');
  return { lines, tornBytes: bytes.length - end };
}
