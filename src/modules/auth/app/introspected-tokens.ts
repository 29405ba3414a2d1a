import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { Failure } from '../../../kernel/failure/failure.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';
import { BriefMemory } from '../../../kernel/brief-memory.js';
import type { IssuerDocuments } from './issuer-documents.js';

const MOST = 10_000;

/** Opaque tokens, by the word of their issuer (RFC 7662). */
export class IntrospectedTokens {
  private readonly recent: BriefMemory<JWTPayload | undefined>;

  constructor(
    private readonly documents: IssuerDocuments,
    private readonly clock: Clock,
  ) {
    this.recent = new BriefMemory(LIMITS.introspectionRememberedMs.value, MOST, clock);
  }

  /**
   * The first of the issuers that knows the token.
   * @returns undefined where nobody knows it.
   * @throws Failure `upstream.unavailable` where nobody knows it and one could not be asked.
   */
  async find(
    token: string,
    issuers: readonly TrustedIssuer[],
  ): Promise<{ issuer: TrustedIssuer; claims: JWTPayload } | undefined> {
    let unheard: unknown;
    for (const issuer of issuers) {
      const claims = await this.ask(issuer, token).catch((error: unknown) => void (unheard = error));
      if (claims !== undefined) return { issuer, claims };
    }
    if (unheard === undefined) return undefined;
    throw new Failure('upstream.unavailable', { auditReason: 'introspection_unavailable', cause: unheard });
  }

  private ask({ issuer, introspection }: TrustedIssuer, token: string): Promise<JWTPayload | undefined> {
    if (introspection === undefined) return Promise.resolve(undefined);
    const { endpoint, clientId } = introspection;
    const digest = createHash('sha256').update(token).digest('base64');
    return this.recent.of(JSON.stringify([digest, issuer, endpoint, clientId]), async () => {
      const said = await this.documents.introspect(introspection, token);
      return said['active'] === true ? this.claimsOf(said, issuer) : undefined;
    });
  }

  /** What the answer may leave out (RFC 7662 §2.2): who asks knows the issuer, and a lifetime is counted from now. */
  private claimsOf(said: Readonly<Record<string, unknown>>, issuer: string): JWTPayload {
    const iat = Math.floor(this.clock.now() / 1000);
    return { iss: issuer, iat, sub: said['client_id'] as string, ...said };
  }
}
