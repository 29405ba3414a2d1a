import type { KeyObject } from 'node:crypto';
import type { JWTPayload } from 'jose';

/** Port: what a signed token says, once its signature is verified. */
export interface TokenSignatures {
  /** @returns undefined for a signature that is not of this key by an accepted algorithm, and for a payload that is no object. */
  open(token: string, key: KeyObject): Promise<JWTPayload | undefined>;
}
