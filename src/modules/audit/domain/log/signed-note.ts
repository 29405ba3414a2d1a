import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** A signed text as C2SP signed-note has it: lines, an empty line, and a line for each signature. */
export interface SignedNote {
  /** What is signed, its last line ended. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  /** First four bytes of a hash of name and key, in hex: tells keys of one name apart. */
  readonly keyId: string;
  readonly bytes: Buffer;
}

/** Kinds of keys (C2SP signed-note): of a log, and of a witness. The kind is part of the key id. */
export type NoteKeyKind = 'ed25519' | 'cosignature';

/** A public key with the name under which it signs. */
export interface NoteKey {
  readonly name: string;
  readonly kind: NoteKeyKind;
  readonly publicKey: KeyObject;
}

const KIND_BYTES: Readonly<Record<NoteKeyKind, number>> = { ed25519: 0x01, cosignature: 0x04 };
const KEY_ID_BYTES = 4;
/** DER of an Ed25519 public key is this header and the 32 bytes of the key (RFC 8410). */
const DER_HEADER = Buffer.from('302a300506032b6570032100', 'hex');
const RAW_KEY_BYTES = 32;
const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;
/** More lines than a witnessed checkpoint ever has: nobody makes a reader check thousands of signatures. */
const SIGNATURES_MAX = 64;

/** @returns undefined for what is no signed note. Unknown signatures are no mistake: keys rotate and witnesses join. */
export function parseNote(note: string): SignedNote | undefined {
  const end = note.indexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
    if (name === undefined || encoded === undefined) return undefined;
    const blob = Buffer.from(encoded, 'base64');
    if (blob.length <= KEY_ID_BYTES) return undefined;
    const keyId = blob.subarray(0, KEY_ID_BYTES).toString('hex');
    signatures.push({ name, keyId, bytes: blob.subarray(KEY_ID_BYTES) });
  }
  return { text: note.slice(0, end + 1), signatures };
}

/** A signature as the line of a note, ended. */
export function signatureLine(key: NoteKey, bytes: Uint8Array): string {
  const blob = Buffer.concat([Buffer.from(keyIdOf(key), 'hex'), bytes]);
  return `— ${key.name} ${blob.toString('base64')}\n`;
}

/** Signs a text with a log's key. @returns the line of the note. */
export function signText(text: string, key: NoteKey, privateKey: KeyObject): string {
  return signatureLine(key, sign(null, Buffer.from(text), privateKey));
}

/** Whether a log's key signed the text of a note. */
export function isSignedBy({ text, signatures }: SignedNote, key: NoteKey): boolean {
  const keyId = keyIdOf(key);
  return signatures.some(
    (signature) =>
      signature.name === key.name &&
      signature.keyId === keyId &&
      verify(null, Buffer.from(text), key.publicKey, signature.bytes),
  );
}

/** First four bytes of SHA-256(name ‖ LF ‖ kind ‖ key), in hex. */
export function keyIdOf({ name, kind, publicKey }: NoteKey): string {
  return createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.from([KIND_BYTES[kind]]))
    .update(rawKeyOf(publicKey))
    .digest('hex')
    .slice(0, KEY_ID_BYTES * 2);
}

/** A public key in one line, as other programs take it (C2SP signed-note, verifier key): `name+id+key`. */
export function verifierKey(key: NoteKey): string {
  const encoded = Buffer.concat([Buffer.from([KIND_BYTES[key.kind]]), rawKeyOf(key.publicKey)]);
  return `${key.name}+${keyIdOf(key)}+${encoded.toString('base64')}`;
}

/** @returns undefined for anything but a verifier key of a known kind whose id is right. */
export function parseVerifierKey(line: string): NoteKey | undefined {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const kind = (['ed25519', 'cosignature'] as const).find((known) => KIND_BYTES[known] === bytes[0]);
  if (kind === undefined || bytes.length !== 1 + RAW_KEY_BYTES) return undefined;
  const der = Buffer.concat([DER_HEADER, bytes.subarray(1)]);
  const key = { name, kind, publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
  return keyIdOf(key) === id ? key : undefined;
}

const rawKeyOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES);
