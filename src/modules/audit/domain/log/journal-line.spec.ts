import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Checkpoint, openCheckpoint, signCheckpoint } from './checkpoint.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const ENTRY = 'a'.repeat(64);
const base: Checkpoint = { origin: 'gw/audit/org.a', size: 3, root: Buffer.alloc(32, 7) };
const clock = { offsetMs: -3, uncertaintyMs: 1 };
const opened = (note: string): Checkpoint | undefined => openCheckpoint(note, base.origin, [publicKey]);

describe('the entry of the restore journal in a checkpoint', () => {
  it.each([{}, { clock }, { journal: ENTRY }, { clock, journal: ENTRY }])('is read as it was signed: %j', (more) => {
    expect(opened(signCheckpoint({ ...base, ...more }, privateKey, publicKey))).toEqual({ ...base, ...more });
  });

  it('is covered by the signature: neither changed, nor taken out, nor put in', () => {
    const note = signCheckpoint({ ...base, clock, journal: ENTRY }, privateKey, publicKey);
    expect(opened(note.replace(ENTRY, 'b'.repeat(64)))).toBeUndefined();
    expect(opened(note.replace(`restore-journal ${ENTRY}\n`, ''))).toBeUndefined();
    const without = signCheckpoint({ ...base, clock }, privateKey, publicKey);
    expect(opened(without.replace('\n\n', `\nrestore-journal ${ENTRY}\n\n`))).toBeUndefined();
  });
});
