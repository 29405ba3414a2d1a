import { createHash, type KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { openCheckpoint, parseCheckpoint } from '../domain/log/checkpoint.js';
import { includes } from '../domain/log/merkle-proof.js';
import { decodeCanonical, leafOf } from '../domain/stored-record.js';

/** First member of every deletion record. */
export const DELETION_RECORD_FORMAT = 'forecourt.deletion-record/1';
/** A deletion record with its proof is far smaller; an export never looks like one. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What a deletion record with its proof is worth. */
export interface DeletionCheck {
  readonly result: 'intact' | 'tampered' | 'unproven';
  readonly recordId: string | null;
  readonly problem?: string;
  /** The log that has it, and its place there. */
  readonly origin?: string;
  readonly seq?: number;
  /** What the record says: records that went, that holds kept, and when the last copy is gone; null: not stated. */
  readonly taken?: unknown;
  readonly held?: unknown;
  readonly expireBy?: string | null;
}

/** What the admin API answers for one deletion record. */
export interface DeletionBundle {
  readonly record_id: string;
  readonly content: string;
  readonly proof: {
    readonly seq: number;
    readonly canon: string;
    readonly inclusion_path: readonly string[];
    readonly checkpoint: string;
  } | null;
}

/** Reads a saved answer of the admin API. @returns undefined where the file is something else: an export. */
export async function readDeletionBundle(path: string): Promise<DeletionBundle | undefined> {
  const file = await open(path);
  try {
    if ((await file.stat()).size > MOST_BYTES) return undefined;
    const value = parsed(await file.readFile('utf8')); // many lines of JSON are an export
    const bundle = value?.data ?? value;
    return isBundle(bundle) ? { ...bundle, proof: bundle.proof ?? null } : undefined;
  } finally {
    await file.close();
  }
}

function isBundle(value: unknown): value is Omit<DeletionBundle, 'proof'> & Partial<Pick<DeletionBundle, 'proof'>> {
  const bundle = value as Partial<DeletionBundle> | null | undefined;
  return typeof bundle?.record_id === 'string' && typeof bundle.content === 'string';
}

/** Checks with nothing but public keys that the log of the organization has exactly this record. */
export function checkDeletionRecord(bundle: DeletionBundle, publicKeys: readonly KeyObject[]): DeletionCheck {
  const said = parsed(bundle.content);
  const recordId = typeof said?.record_id === 'string' ? said.record_id : null;
  if (said?.format !== DELETION_RECORD_FORMAT) return { result: 'tampered', recordId, problem: 'format_unknown' };
  if (bundle.proof === null) return { result: 'unproven', recordId, problem: 'no_checkpoint_yet' };
  const problem = problemOf(bundle.content, said, bundle.proof, publicKeys);
  if (problem !== undefined) return { result: 'tampered', recordId, problem };
  const origin = originOf(bundle.proof.checkpoint) ?? '';
  const { taken = null, held = null } = said;
  const expireBy = (said.residual_copies as { expire_by?: string | null } | undefined)?.expire_by ?? null;
  return { result: 'intact', recordId, origin, seq: bundle.proof.seq, taken, held, expireBy };
}

/** The verdict for people. */
export function deletionVerdict(check: DeletionCheck): string {
  const { result, recordId, problem, origin, seq, taken, held, expireBy } = check;
  if (problem !== undefined) return `${result}: deletion record ${String(recordId)}: ${problem}`;
  const copies = expireBy == null ? 'when the last copy is gone is not stated' : `the last copy is gone by ${expireBy}`;
  return `${result}: deletion record ${String(recordId)}, row ${String(seq)} of ${String(origin)}\n  ${String(taken)} records deleted, ${String(held)} held; ${copies}`;
}

function problemOf(
  content: string,
  said: Readonly<Record<string, unknown>>,
  { canon, seq, inclusion_path: path, checkpoint: note }: NonNullable<DeletionBundle['proof']>,
  publicKeys: readonly KeyObject[],
): string | undefined {
  const origin = originOf(note);
  const checkpoint = origin === undefined ? undefined : openCheckpoint(note, origin, publicKeys);
  if (checkpoint === undefined) return 'checkpoint_unsigned';
  const siblings = path.map((hash) => Buffer.from(hash, 'base64'));
  if (!includes(leafOf(canon), seq, checkpoint.size, siblings, checkpoint.root)) return 'not_in_log';
  const { afterHash, eventId, organizationId } = decodeCanonical(Buffer.from(canon));
  if (afterHash !== createHash('sha256').update(content).digest('hex')) return 'content_changed';
  const own = eventId === said.event_id && organizationId === said.organization_id;
  return own && origin?.endsWith(`/audit/${organizationId}`) === true ? undefined : 'other_record';
}

/** The name of the log, as its own note says it; the key that signed it vouches for it. */
const originOf = (note: string): string | undefined => parseCheckpoint(note.slice(0, note.indexOf('\n\n') + 1))?.origin;

function parsed(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
