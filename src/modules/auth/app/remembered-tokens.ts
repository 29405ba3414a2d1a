import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { LIMITS } from '../../../kernel/limits.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';

interface Entry {
  readonly issuer: string;
  readonly trust: string;
  readonly claims: JWTPayload;
  readonly until: number;
}

const REMEMBERED_MS = LIMITS.tokenRememberedMs.value;
const MOST = LIMITS.tokensRemembered.value;

/**
 * Tokens whose signature was verified a moment ago, by their SHA-256: no token stays in memory. What is remembered counts
 * only for the same issuer with the same keys and algorithms: another organization may trust the same name otherwise.
 */
export class RememberedTokens {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  find(token: string, issuers: readonly TrustedIssuer[]): { issuer: TrustedIssuer; claims: JWTPayload } | undefined {
    const entry = this.entries.get(digestOf(token));
    if (entry === undefined) return undefined;
    const now = this.clock.now();
    if (now >= entry.until || entry.until - now > REMEMBERED_MS) return undefined;
    const issuer = issuers.find((trusted) => trusted.issuer === entry.issuer && trustOf(trusted) === entry.trust);
    return issuer === undefined ? undefined : { issuer, claims: entry.claims };
  }

  remember(token: string, issuer: TrustedIssuer, claims: JWTPayload): void {
    const digest = digestOf(token);
    this.entries.delete(digest);
    const oldest = this.entries.size >= MOST ? this.entries.keys().next() : undefined;
    if (oldest?.done === false) this.entries.delete(oldest.value);
    const until = Math.min((claims.exp ?? 0) * 1000, this.clock.now() + REMEMBERED_MS);
    this.entries.set(digest, { issuer: issuer.issuer, trust: trustOf(issuer), claims, until });
  }
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');

const trusts = new WeakMap<TrustedIssuer, string>();
/** What a verified signature rests on. Asked on every call, so it is put into words once. */
function trustOf(issuer: TrustedIssuer): string {
  let trust = trusts.get(issuer);
  if (trust === undefined) {
    trust = JSON.stringify([issuer.jwksUri, issuer.algorithms]);
    trusts.set(issuer, trust);
  }
  return trust;
}
