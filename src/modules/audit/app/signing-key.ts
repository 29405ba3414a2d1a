import type { KeyObject } from 'node:crypto';

/** The Ed25519 key that signs checkpoints. It is never in the database. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}
