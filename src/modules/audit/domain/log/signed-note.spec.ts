import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkpointText, openCheckpoint, signCheckpoint } from './checkpoint.js';
import { certainOffsetMs } from './clock-line.js';
import { cosign, cosignedAt } from './cosignature.js';
import { keyIdOf, parseNote, parseVerifierKey, verifierKey } from './signed-note.js';

/** A fixed key, so that the published example of the format can be compared with. */
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = createPublicKey(privateKey);
const root = Buffer.alloc(32, 9);
const origin = 'gateway.test/audit/org.a';
const note = signCheckpoint({ origin, size: 5, root }, privateKey, publicKey);
const witness = { name: 'witness.group', kind: 'cosignature', ...generateKeyPairSync('ed25519') } as const;

describe('a verifier key', () => {
  // From the documentation of golang.org/x/mod/sumdb/note: an independent implementation of the same format.
  const PUBLISHED = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const PUBLISHED_NOTE = [
    'If you think cryptography is the answer to your problem,',
    "then you don't know what your problem is.",
    '',
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=',
    '',
  ].join('\n');

  it('reads the published example, and writes it back', () => {
    const key = parseVerifierKey(PUBLISHED);
    expect(key).toMatchObject({ name: 'PeterNeumann', kind: 'ed25519' });
    expect(key === undefined ? '' : verifierKey(key)).toBe(PUBLISHED);
    expect(parseNote(PUBLISHED_NOTE)?.signatures[0]).toMatchObject({ name: 'PeterNeumann', keyId: 'c74f20a3' });
  });

  it('is refused with another id, another length or another kind', () => {
    for (const wrong of [
      PUBLISHED.replace('c74f20a3', 'c74f20a4'),
      PUBLISHED.slice(0, -4),
      PUBLISHED.replace('+AR', '+CR'),
      'no key',
      '',
    ])
      expect(parseVerifierKey(wrong), wrong).toBeUndefined();
  });

  it('has another id for a witness than for a log', () => {
    const key = { name: 'a', kind: 'ed25519', publicKey } as const;
    expect(keyIdOf(key)).not.toBe(keyIdOf({ ...key, kind: 'cosignature' }));
  });
});

describe('a checkpoint', () => {
  it('of an older version has three lines, and one with the clock a fourth that is signed', () => {
    const clock = { offsetMs: -1250, uncertaintyMs: 3 };
    const text = checkpointText({ origin, size: 5, root, clock });
    expect(text.split('\n')).toHaveLength(5);
    expect(openCheckpoint(note, origin, [publicKey])).toEqual({ origin, size: 5, root });
    const timed = signCheckpoint({ origin, size: 5, root, clock }, privateKey, publicKey);
    expect(openCheckpoint(timed, origin, [publicKey])).toEqual({ origin, size: 5, root, clock });
    expect(openCheckpoint(timed.replace('-1250', '-1'), origin, [publicKey])).toBeUndefined();
    expect([certainOffsetMs(clock), certainOffsetMs({ offsetMs: 2, uncertaintyMs: 3 })]).toEqual([1247, 0]);
  });

  it('is read by any of several keys, and by no other', () => {
    const other = generateKeyPairSync('ed25519').publicKey;
    expect(openCheckpoint(note, origin, [other, publicKey])).toBeDefined();
    expect(openCheckpoint(note, origin, [other])).toBeUndefined();
    expect(openCheckpoint(note, 'gateway.test/audit/org.b', [publicKey])).toBeUndefined();
  });
});

describe('a cosignature', () => {
  const cosigned = note + cosign(parseNote(note)!.text, 1_764_500_000, witness, witness.privateKey);

  it('says when, and leaves the signature of the log as it was', () => {
    expect(cosignedAt(cosigned, witness)).toBe(1_764_500_000);
    expect(openCheckpoint(cosigned, origin, [publicKey])).toEqual({ origin, size: 5, root });
    expect(cosignedAt(note, witness)).toBeUndefined();
  });

  it('does not hold for another text, time, name or key', () => {
    const others = generateKeyPairSync('ed25519');
    expect(cosignedAt(cosigned.replace('\n5\n', '\n6\n'), witness)).toBeUndefined();
    expect(cosignedAt(cosigned, { ...witness, name: 'witness.other' })).toBeUndefined();
    expect(cosignedAt(cosigned, { ...witness, publicKey: others.publicKey })).toBeUndefined();
    const line = cosigned.trimEnd().split('\n').at(-1)!.split(' ')[2]!;
    const later = Buffer.from(line, 'base64');
    later.writeUInt8((later.readUInt8(11) + 1) % 256, 11);
    expect(cosignedAt(cosigned.replace(line, later.toString('base64')), witness)).toBeUndefined();
  });
});

it('takes no text apart that is no note', () => {
  const many = `${note.trimEnd()}\n${`— a ${'A'.repeat(8)}\n`.repeat(70)}`;
  for (const wrong of ['', 'text', 'text\n\n', note.trimEnd(), note.replace('— ', '- '), many])
    expect(parseNote(wrong), wrong.slice(0, 20)).toBeUndefined();
});
