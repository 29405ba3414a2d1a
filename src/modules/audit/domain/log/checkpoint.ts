import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { HASH_BYTES } from './hashes.js';

/** The state of a log that somebody signed (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** Name of the log; also the name under which its own key signs. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
/** DER of an Ed25519 public key is this header and the 32 bytes of the key (RFC 8410). */
const RAW_KEY_BYTES = 32;
const SIZE = /^(?:0|[1-9]\d{0,15})$/;

/** The signed text: three lines, each ended. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** Signs a checkpoint as a C2SP signed note with the log's Ed25519 key. */
export function signCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject, publicKey: KeyObject): string {
  const text = checkpointText(checkpoint);
  const blob = Buffer.concat([keyId(checkpoint.origin, publicKey), sign(null, Buffer.from(text), privateKey)]);
  return `${text}\n— ${checkpoint.origin} ${blob.toString('base64')}\n`;
}

/**
 * Reads a signed note. Signatures of unknown keys are ignored (C2SP signed-note), so that keys can rotate.
 * @returns the checkpoint when one of the keys signed it, else undefined.
 */
export function openCheckpoint(note: string, origin: string, publicKeys: readonly KeyObject[]): Checkpoint | undefined {
  const end = note.indexOf('\n\n');
  if (end < 0) return undefined;
  const text = note.slice(0, end + 1);
  const [name, size, root, ...rest] = text.split('\n');
  if (name !== origin || size === undefined || root === undefined || !SIZE.test(size) || rest.length !== 1)
    return undefined;
  const hash = Buffer.from(root, 'base64');
  if (hash.length !== HASH_BYTES || hash.toString('base64') !== root) return undefined;
  const signed = note
    .slice(end + 2)
    .split('\n')
    .some((line) => publicKeys.some((key) => isSignature(line, text, origin, key)));
  return signed ? { origin, size: Number(size), root: hash } : undefined;
}

function isSignature(line: string, text: string, origin: string, publicKey: KeyObject): boolean {
  const prefix = `— ${origin} `;
  if (!line.startsWith(prefix)) return false;
  const blob = Buffer.from(line.slice(prefix.length), 'base64');
  if (!blob.subarray(0, KEY_ID_BYTES).equals(keyId(origin, publicKey))) return false;
  return verify(null, Buffer.from(text), publicKey, blob.subarray(KEY_ID_BYTES));
}

/** First four bytes of SHA-256(name ‖ LF ‖ 0x01 ‖ key): tells keys of one name apart. */
function keyId(name: string, publicKey: KeyObject): Buffer {
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES);
  return createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.from([ED25519]))
    .update(raw)
    .digest()
    .subarray(0, KEY_ID_BYTES);
}
