import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals what the database keeps (AES-256-GCM). The place of a row is authenticated with it, so that a payload that was moved to
 * another row does not open. The first key seals, every key opens.
 */
export class PayloadSeal {
  constructor(private readonly keys: readonly [Buffer, ...Buffer[]]) {}

  seal(payload: object, place: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0], nonce).setAAD(place);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(payload), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @returns undefined for what no key opens: it is as if it had never been there. */
  open(sealed: Buffer, place: Buffer): Record<string, unknown> | undefined {
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).setAAD(place);
        decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
        return JSON.parse(text.toString('utf8')) as Record<string, unknown>;
      } catch {
        continue; // another key, perhaps
      }
    }
    return undefined;
  }
}
