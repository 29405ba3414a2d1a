import type { EmbeddedIssuer } from '../../../kernel/ports/embedded-issuer.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { TrustedIssuers } from './trusted-issuer-store.js';

/** Whose tokens an organization accepts: the embedded authorization server, where it is on, and those that it named. */
export class IssuersOf {
  /** Of an organization that named none, and of the admin API. */
  readonly embeddedOnly: readonly TrustedIssuer[];

  constructor(
    private readonly trusted: TrustedIssuers,
    embedded: EmbeddedIssuer | undefined,
  ) {
    this.embeddedOnly = embedded === undefined ? [] : [{ issuer: embedded.issuer }];
  }

  /** The embedded one first. @throws Failure when what the organization trusts cannot be known. */
  async organization(organizationId: string): Promise<readonly TrustedIssuer[]> {
    const records = await this.trusted.inForce(organizationId);
    const own = new Set(this.embeddedOnly.map(({ issuer }) => issuer));
    return [...this.embeddedOnly, ...records.map(({ trust }) => trust).filter(({ issuer }) => !own.has(issuer))];
  }
}
