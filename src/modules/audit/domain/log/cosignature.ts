import { type KeyObject, sign, verify } from 'node:crypto';
import { keyIdOf, type NoteKey, parseNote, signatureLine } from './signed-note.js';

const TIME_BYTES = 8;
/** Seconds that a cosignature may name: up to the year 9999. */
const SECONDS_MAX = 253_402_300_799n;

/**
 * Signs a checkpoint as a witness (C2SP tlog-cosignature, cosignature/v1): at this time it was the newest state of the log
 * that the witness had seen, and consistent with all before it.
 * @param at seconds since the Unix epoch
 * @returns the line of the note
 */
export function cosign(text: string, at: number, witness: NoteKey, privateKey: KeyObject): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(at));
  return signatureLine(witness, Buffer.concat([time, sign(null, cosignedMessage(text, at), privateKey)]));
}

/** When a witness cosigned the note, in seconds since the Unix epoch. @returns undefined when it did not. */
export function cosignedAt(note: string, witness: NoteKey): number | undefined {
  const signed = parseNote(note);
  const keyId = keyIdOf(witness);
  for (const { name, keyId: id, bytes } of signed?.signatures ?? []) {
    if (signed === undefined || name !== witness.name || id !== keyId || bytes.length <= TIME_BYTES) continue;
    const time = bytes.readBigUInt64BE(0);
    if (time > SECONDS_MAX) continue;
    const at = Number(time);
    if (verify(null, cosignedMessage(signed.text, at), witness.publicKey, bytes.subarray(TIME_BYTES))) return at;
  }
  return undefined;
}

const cosignedMessage = (text: string, at: number): Buffer => Buffer.from(`cosignature/v1\ntime ${at}\n${text}`);
