import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { StreamSecrets } from '../app/streams/stream-secrets.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with the stream's name as associated data. The first key seals, every key opens. */
export class SealedStreamSecrets implements StreamSecrets {
  constructor(private readonly keys: readonly [Buffer, ...Buffer[]]) {}

  seal(secret: string, organizationId: string, streamId: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0], nonce).setAAD(placeOf(organizationId, streamId));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  open(sealed: Uint8Array, organizationId: string, streamId: string): string | undefined {
    const bytes = Buffer.from(sealed);
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
        decipher.setAAD(placeOf(organizationId, streamId));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
        return Buffer.concat(opened).toString('utf8');
      } catch {
        continue; // another key, perhaps
      }
    }
    return undefined;
  }
}

const placeOf = (organizationId: string, streamId: string): Buffer => Buffer.from(`${organizationId}\0${streamId}`);
