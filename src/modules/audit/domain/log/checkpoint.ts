import type { KeyObject } from 'node:crypto';
import { type ClockReading, clockLine, clockOfLines } from './clock-line.js';
import { HASH_BYTES } from './hashes.js';
import { journalLine, journalOfLines } from './journal-line.js';
import { isSignedBy, parseNote, signText } from './signed-note.js';

/** The state of a log that somebody signed (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** Name of the log; also the name under which its own key signs. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** How far the signer's clock was from the database's. Absent where it was not measured, and in notes of older versions. */
  readonly clock?: ClockReading;
  /** Newest entry of the restore journal about this organization when the log was signed. Absent where there was none. */
  readonly journal?: string;
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/;

/** The signed text: three lines, then the clock and the restore journal where they are known. Each is ended. */
export function checkpointText({ origin, size, root, clock, journal }: Checkpoint): string {
  const known = [clock === undefined ? [] : clockLine(clock), journal === undefined ? [] : journalLine(journal)].flat();
  return [origin, size, Buffer.from(root).toString('base64'), ...known, ''].join('\n');
}

/** Signs a checkpoint as a C2SP signed note with the log's Ed25519 key. */
export function signCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject, publicKey: KeyObject): string {
  const text = checkpointText(checkpoint);
  return `${text}\n${signText(text, { name: checkpoint.origin, kind: 'ed25519', publicKey }, privateKey)}`;
}

/**
 * Reads a signed note. Signatures of unknown keys are ignored (C2SP signed-note), so that keys can rotate.
 * @returns the checkpoint when one of the keys signed it, else undefined.
 */
export function openCheckpoint(note: string, origin: string, publicKeys: readonly KeyObject[]): Checkpoint | undefined {
  const signed = parseNote(note);
  const checkpoint = signed === undefined ? undefined : parseCheckpoint(signed.text);
  if (signed === undefined || checkpoint?.origin !== origin) return undefined;
  const known = publicKeys.some((publicKey) => isSignedBy(signed, { name: origin, kind: 'ed25519', publicKey }));
  return known ? checkpoint : undefined;
}

/** What the text of a checkpoint says; nothing about who signed it. Lines after the third are extensions (C2SP tlog-checkpoint). */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin, size, root, ...rest] = text.split('\n');
  if (origin === undefined || origin === '' || size === undefined || root === undefined) return undefined;
  const extensions = rest.slice(0, -1);
  if (!SIZE.test(size) || rest.at(-1) !== '' || extensions.includes('')) return undefined;
  const hash = Buffer.from(root, 'base64');
  if (hash.length !== HASH_BYTES || hash.toString('base64') !== root) return undefined;
  const clock = clockOfLines(extensions);
  const journal = journalOfLines(extensions);
  return {
    ...{ origin, size: Number(size), root: hash },
    ...(clock === undefined ? {} : { clock }),
    ...(journal === undefined ? {} : { journal }),
  };
}
