import type { KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { openCheckpoint, parseCheckpoint } from '../domain/log/checkpoint.js';
import { includes } from '../domain/log/merkle-proof.js';
import { decodeCanonical, leafOf } from '../domain/stored-record.js';

/** A proof of one record is about 2 kB. */
const MOST_BYTES = 1024 * 1024;

/** What the admin API answers as the proof of one record. */
export interface RecordProofFile {
  readonly seq: number;
  readonly canon: string;
  readonly inclusion_path: readonly string[];
  readonly checkpoint: string;
}

/** What the proof of one record is worth. */
export interface RecordCheck {
  readonly result: 'intact' | 'tampered';
  readonly problem?: string;
  /** The log that has it, and its place there. */
  readonly origin?: string;
  readonly seq: number;
  readonly eventId?: string;
}

/** Reads a saved answer of the admin API. @returns undefined where the file is something else */
export async function readRecordProof(path: string): Promise<RecordProofFile | undefined> {
  if ((await stat(path)).size > MOST_BYTES) return undefined;
  const value = parsed(await readFile(path, 'utf8')) as { data?: unknown } | null | undefined;
  const proof = (value?.data ?? value) as Partial<RecordProofFile> | null | undefined;
  const whole =
    typeof proof?.canon === 'string' &&
    typeof proof.seq === 'number' &&
    typeof proof.checkpoint === 'string' &&
    Array.isArray(proof.inclusion_path);
  return whole ? (proof as RecordProofFile) : undefined;
}

/** Checks with nothing but public keys that a log has this record; held records of a pruned part as well as all others. */
export function checkRecordProof(proof: RecordProofFile, publicKeys: readonly KeyObject[]): RecordCheck {
  const { seq, canon, inclusion_path: path, checkpoint: note } = proof;
  const origin = parseCheckpoint(note.slice(0, note.indexOf('\n\n') + 1))?.origin;
  const checkpoint = origin === undefined ? undefined : openCheckpoint(note, origin, publicKeys);
  if (origin === undefined || checkpoint === undefined)
    return { result: 'tampered', seq, problem: 'checkpoint_unsigned' };
  const siblings = path.map((hash) => Buffer.from(hash, 'base64'));
  if (!includes(leafOf(canon), seq, checkpoint.size, siblings, checkpoint.root))
    return { result: 'tampered', seq, origin, problem: 'not_in_log' };
  return { result: 'intact', seq, origin, eventId: decodeCanonical(Buffer.from(canon)).eventId };
}

/** The verdict for people. */
export function recordVerdict({ result, problem, origin, seq, eventId }: RecordCheck): string {
  if (problem !== undefined) return `${result}: ${problem}: row ${seq}`;
  return `${result}: record ${String(eventId)}, row ${seq} of ${String(origin)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
