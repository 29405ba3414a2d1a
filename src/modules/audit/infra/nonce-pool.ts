import { randomBytes } from 'node:crypto';

const NONCE_HEX = 32;
const NONCES_PER_REFILL = 512;

/** Hands out 16-byte nonces as hex. Drawn from the system in blocks: one call per nonce would cost more than the record. */
export class NoncePool {
  private pool = '';
  private position = 0;

  next(): string {
    if (this.position === this.pool.length) {
      this.pool = randomBytes((NONCES_PER_REFILL * NONCE_HEX) / 2).toString('hex');
      this.position = 0;
    }
    const start = this.position;
    this.position = start + NONCE_HEX;
    return this.pool.slice(start, this.position);
  }
}
