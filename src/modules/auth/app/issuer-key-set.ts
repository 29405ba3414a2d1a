import { KeyObject } from 'node:crypto';
import { importJWK, type CryptoKey, type JSONWebKeySet, type JWK } from 'jose';
import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { Clock } from '../../../kernel/time.js';
import { publicKeyFor } from '../domain/issuer-key.js';
import type { TokenAlgorithm, TokenHeader } from '../domain/token-header.js';

/** How long keys are used, kept while their issuer is away, and left alone between two fetches. Milliseconds. */
export interface KeySetTimes {
  readonly fresh: number;
  readonly kept: number;
  readonly pause: number;
}

/**
 * The keys of one issuer. Fetched when they are old, once more for a key id that is not among them, and never more often
 * than the pause allows, whether fetching worked or not: neither made-up key ids nor an issuer that is away cost more.
 */
export class IssuerKeySet {
  private published: readonly JWK[] = [];
  private imported = new Map<string, Promise<KeyObject | undefined>>();
  private fetchedAt: number | undefined;
  private triedAt: number | undefined;
  private fetching: Promise<void> | undefined;

  constructor(
    private readonly fetch: () => Promise<JSONWebKeySet>,
    private readonly times: KeySetTimes,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns undefined where the issuer has no such key for this algorithm.
   * @throws Failure `upstream.unavailable` where its keys cannot be had and none are remembered.
   */
  async find({ kid, alg }: TokenHeader): Promise<KeyObject | undefined> {
    if (!this.within(this.fetchedAt, this.times.fresh)) await this.fetchUnlessTried();
    const known = await this.known(kid, alg);
    if (known !== undefined) return known;
    await this.fetchUnlessTried();
    return this.known(kid, alg);
  }

  private async fetchUnlessTried(): Promise<void> {
    if (this.fetching === undefined && !this.within(this.triedAt, this.times.pause)) {
      this.triedAt = this.clock.now();
      this.fetching = this.replace().finally(() => (this.fetching = undefined));
    }
    const cause: unknown = await this.fetching?.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!this.within(this.fetchedAt, this.times.kept))
      throw new Failure('upstream.unavailable', { auditReason: 'issuer_keys_unavailable', cause });
  }

  private async replace(): Promise<void> {
    const { keys } = await this.fetch();
    this.published = keys.slice(0, LIMITS.issuerKeys.value);
    this.imported = new Map();
    this.fetchedAt = this.clock.now();
  }

  private known(kid: string, alg: TokenAlgorithm): Promise<KeyObject | undefined> {
    const name = `${alg} ${kid}`;
    const known = this.imported.get(name);
    if (known !== undefined) return known;
    const jwk = this.published.find((key) => key.kid === kid && publicKeyFor(key, alg) !== undefined);
    if (jwk === undefined) return Promise.resolve(undefined); // not kept: key ids that callers make up take no room
    const key = importPublicKey(jwk, alg);
    this.imported.set(name, key);
    return key;
  }

  /** A clock that was set back makes nothing younger. */
  private within(since: number | undefined, ms: number): boolean {
    if (since === undefined) return false;
    const age = this.clock.now() - since;
    return age >= 0 && age < ms;
  }
}

const RSA_BITS = 2048; // RFC 7518 §3.3

/** passport-jwt takes keys of Node's own kind (decision record 0031). @returns undefined for a key that is broken or too weak. */
async function importPublicKey(jwk: JWK, alg: TokenAlgorithm): Promise<KeyObject | undefined> {
  try {
    const key = KeyObject.from((await importJWK({ ...publicKeyFor(jwk, alg) }, alg)) as CryptoKey);
    const bits = key.asymmetricKeyDetails?.modulusLength;
    return bits !== undefined && bits < RSA_BITS ? undefined : key;
  } catch {
    return undefined;
  }
}
