import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { addCheckpointBody } from '../../src/modules/audit/domain/log/add-checkpoint.js';
import { signCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { perfectRoot } from '../../src/modules/audit/domain/log/hashes.js';
import { consistencyProof, rangeRoot } from '../../src/modules/audit/domain/log/merkle-proof.js';

export const LOG_ORIGIN = 'gateway.test/audit/org.witnessed';

/** The key pair of a log. */
export const logKeys = generateKeyPairSync('ed25519');

/** A history in memory: a list of leaves, which may branch off another history. */
export class GrowingLog {
  constructor(readonly leaves: readonly Buffer[] = []) {}

  static of(words: readonly string[]): GrowingLog {
    return new GrowingLog(words.map((word) => createHash('sha256').update(`\0${word}`).digest()));
  }

  /** The first `size` leaves of this history, then other ones. */
  fork(size: number, words: readonly string[]): GrowingLog {
    return new GrowingLog([...this.leaves.slice(0, size), ...GrowingLog.of(words).leaves]);
  }

  get size(): number {
    return this.leaves.length;
  }

  async root(size: number): Promise<Buffer> {
    return Buffer.from(await rangeRoot(0, size, this.at));
  }

  async note(size: number, keys: { privateKey: KeyObject; publicKey: KeyObject } = logKeys): Promise<string> {
    const root = await this.root(size);
    return signCheckpoint({ origin: LOG_ORIGIN, size, root }, keys.privateKey, keys.publicKey);
  }

  /** The body of a request for a size, from what the log believes the witness to have. */
  async request(oldSize: number, size: number): Promise<string> {
    const proof = oldSize === 0 || oldSize > size ? [] : await consistencyProof(oldSize, size, this.at);
    return addCheckpointBody({ oldSize, proof, note: await this.note(size) });
  }

  readonly at = (level: number, index: number): Promise<Uint8Array> =>
    Promise.resolve(perfectRoot(this.leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)));
}

/** Whether one of two histories begins with the other: what a witness must make sure of. */
export function isPrefix(shorter: readonly Buffer[], longer: readonly Buffer[]): boolean {
  return shorter.every((leaf, i) => longer[i]?.equals(leaf) === true);
}
