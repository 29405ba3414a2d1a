import { readFile } from 'node:fs/promises';
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../modules/audit/domain/log/checkpoint.js';
import { isConsistent } from '../modules/audit/domain/log/merkle-proof.js';
import { parseNote } from '../modules/audit/domain/log/signed-note.js';
import { CommandError, EXIT } from './exit-codes.js';
import type { Output } from './output.js';
import { readPublicKeys } from './public-keys.js';

const HASH_BYTES = 32;

/**
 * `audit consistency OLD NEW`: whether the newer of two kept notes continues the older one, by a proof of
 * /admin/v1/audit/consistency. Needs no service, no database and no network. Notes of the same size need no proof.
 */
export async function auditConsistency(
  files: { readonly older: string; readonly newer: string },
  options: { readonly key: readonly string[]; readonly proof?: string },
  output: Output,
): Promise<number> {
  const keys = await readPublicKeys(options.key);
  const read = async (file: string): Promise<Checkpoint> => {
    const note = await readFile(file, 'utf8');
    const origin = parseCheckpoint(parseNote(note)?.text ?? '')?.origin;
    const checkpoint = origin === undefined ? undefined : openCheckpoint(note, origin, keys);
    if (checkpoint === undefined) throw new CommandError(`${file} is signed by none of the keys`, EXIT.findings);
    return checkpoint;
  };
  const [one, other] = [await read(files.older), await read(files.newer)];
  if (one.origin !== other.origin) throw new CommandError('the notes are of two logs', EXIT.findings);
  const [older, newer] = one.size <= other.size ? [one, other] : [other, one];
  const proof = options.proof === undefined ? [] : proofOf(await readFile(options.proof, 'utf8'));
  const consistent = isConsistent(older.size, newer.size, proof, older.root, newer.root);
  const result = consistent ? 'consistent' : 'inconsistent';
  const said = consistent
    ? `consistent: the log of ${newer.size} rows begins with the log of ${older.size}`
    : `inconsistent: nothing here shows that the log of ${newer.size} rows begins with the log of ${older.size}`;
  output.result(said, { result, origin: older.origin, from: older.size, to: newer.size });
  return consistent ? EXIT.done : EXIT.findings;
}

/** The hashes of an answer of the admin API, or of its `data` alone. @throws CommandError for anything else. */
function proofOf(text: string): readonly Buffer[] {
  const path = pathIn(text);
  const hashes = Array.isArray(path) ? path.map((hash) => Buffer.from(String(hash), 'base64')) : undefined;
  if (hashes === undefined || hashes.some((hash) => hash.length !== HASH_BYTES))
    throw new CommandError('the proof has no consistency_path', EXIT.usage);
  return hashes;
}

function pathIn(text: string): unknown {
  try {
    const answer = JSON.parse(text) as { data?: { consistency_path?: unknown }; consistency_path?: unknown };
    return answer.data?.consistency_path ?? answer.consistency_path;
  } catch {
    return undefined;
  }
}
