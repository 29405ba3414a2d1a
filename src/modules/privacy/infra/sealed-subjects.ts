import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealedSubject } from '../domain/privacy-request.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Whom a request is about, sealed with AES-256-GCM and bound to the request. The first key seals, every key opens. */
export class SealedSubjects {
  constructor(private readonly keys: readonly [Buffer, ...Buffer[]]) {}

  seal(subject: SealedSubject, organizationId: string, requestId: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0], nonce).setAAD(placeOf(organizationId, requestId));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(subject), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error for what no key opens: the secret was rotated twice meanwhile, or the row was moved */
  open(sealed: Uint8Array, organizationId: string, requestId: string): SealedSubject {
    const bytes = Buffer.from(sealed);
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
        decipher.setAAD(placeOf(organizationId, requestId));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
        return JSON.parse(Buffer.concat(opened).toString('utf8')) as SealedSubject;
      } catch {
        continue; // another key, perhaps
      }
    }
    throw new Error(`no key opens the subject of ${requestId}`);
  }
}

const placeOf = (organizationId: string, requestId: string): Buffer => Buffer.from(`${organizationId}\0${requestId}`);
