import { hash } from 'node:crypto';
import type { FailurePauses } from './failure-pauses.js';

const MOST_PROVEN = 10_000;

/** What comes before the secret of a key, and names it: `fck_…`. Tokens of other kinds name nothing before they are verified. */
const KEY_NAME = /^bearer +([a-z]+_[a-z0-9]{4,32})_/i;

/**
 * Slows down the guessing of credentials. Failures are added up for the network, and for the key that was named wherever
 * they come from; paused is only the network, or that key from the networks that failed with it. So nobody locks out a
 * dealer, or a key, from elsewhere; and credentials that were good from this network before go on working while it is
 * paused. Everything else is refused without a look, good or bad, so that the refusal tells nothing about it.
 */
export class CredentialThrottle {
  private readonly proven = new Set<string>();

  constructor(private readonly pauses: FailurePauses) {}

  /** Milliseconds that this credential has to wait before it is looked at; 0 when it is. */
  pausedMs(network: string, authorization: string): number {
    const key = keyNamedBy(authorization);
    const paused = Math.max(
      this.pauses.pausedMs(network),
      key === undefined ? 0 : this.pauses.pausedMs(fromNetwork(key, network)),
    );
    return paused === 0 || this.proven.has(digestOf(network, authorization)) ? 0 : paused;
  }

  proved(network: string, authorization: string): void {
    const digest = digestOf(network, authorization);
    if (this.proven.has(digest)) return;
    if (this.proven.size >= MOST_PROVEN) this.forgetOldest();
    this.proven.add(digest);
  }

  async failed(network: string, authorization: string): Promise<void> {
    this.proven.delete(digestOf(network, authorization));
    await this.pauses.failed(network);
    const key = keyNamedBy(authorization);
    if (key !== undefined) await this.pauses.failed(fromNetwork(key, network), `key:${key}`);
  }

  private forgetOldest(): void {
    const oldest = this.proven.values().next();
    if (oldest.done !== true) this.proven.delete(oldest.value);
  }
}

const keyNamedBy = (authorization: string): string | undefined => KEY_NAME.exec(authorization)?.[1]?.toLowerCase();
const fromNetwork = (key: string, network: string): string => `${key} from ${network}`;
const digestOf = (network: string, authorization: string): string =>
  hash('sha256', `${network} ${authorization}`, 'base64');
