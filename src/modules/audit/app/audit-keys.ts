import type { KeyObject } from 'node:crypto';
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../domain/log/checkpoint.js';
import { keyIdOf, parseNote, verifierKey } from '../domain/log/signed-note.js';

/** A key of an organization's log, as it is shown. */
export interface ListedKey {
  /** Which signatures of a note are its own (C2SP signed-note). */
  readonly keyId: string;
  readonly state: 'current' | 'previous';
  /** The key in one line, as witnesses of other makes take it. */
  readonly verifierKey: string;
  /** SPKI PEM. */
  readonly publicKey: string;
}

/** The key that signs checkpoints, and those that signed before it and still count for what they signed. */
export class AuditKeys {
  constructor(
    private readonly current: KeyObject | undefined,
    private readonly previous: readonly KeyObject[],
  ) {}

  /** A checkpoint that any of the keys signed. */
  open(note: string, origin: string): Checkpoint | undefined {
    return openCheckpoint(note, origin, this.publicKeys());
  }

  /** A checkpoint of whichever log it names, that any of the keys signed. */
  openAny(note: string): Checkpoint | undefined {
    const origin = parseCheckpoint(parseNote(note)?.text ?? '')?.origin;
    return origin === undefined ? undefined : this.open(note, origin);
  }

  /** As the notes of this log name them, the current one first. */
  list(origin: string): readonly ListedKey[] {
    return this.publicKeys().map((publicKey) => {
      const key = { name: origin, kind: 'ed25519', publicKey } as const;
      return {
        keyId: keyIdOf(key),
        state: publicKey === this.current ? 'current' : 'previous',
        verifierKey: verifierKey(key),
        publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      };
    });
  }

  private publicKeys(): readonly KeyObject[] {
    return this.current === undefined ? this.previous : [this.current, ...this.previous];
  }
}
