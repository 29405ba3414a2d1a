import type { ProtectedResource, ProtectedResources } from '../../../kernel/ports/protected-resources.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import { TOKEN_ALGORITHMS } from '../domain/token-header.js';
import type { IssuersOf } from './issuers-of.js';

/** What a client has to know before it can ask for a token. */
export interface ResourceDescription {
  readonly uri: string;
  readonly scopes: readonly string[];
  /** Issuers whose tokens count, the embedded one first. */
  readonly issuers: readonly string[];
  /** Whether some or all of them bind tokens to a key (RFC 9449). */
  readonly dpop: 'none' | 'some' | 'all';
  /** Of proofs of possession. */
  readonly dpopAlgorithms: readonly string[];
}

/** Use case: describes a protected resource; its metadata and the challenge of a refusal are made from the same words. */
export class DescribeResource {
  constructor(
    private readonly resources: ProtectedResources,
    private readonly issuers: IssuersOf,
    /** Where staff sign in besides the embedded authorization server, where that issues tokens for the admin API. */
    private readonly staffIssuer: string | undefined,
  ) {}

  /**
   * @returns undefined for anything but the exact URI of a resource that exists now.
   * @throws Failure when a store does not answer.
   */
  async run(uri: string): Promise<ResourceDescription | undefined> {
    const resource = await this.resources.find(uri);
    return resource === undefined ? undefined : descriptionOf(resource, await this.issuersOf(resource));
  }

  private issuersOf({ organizationId }: ProtectedResource): Promise<readonly TrustedIssuer[]> {
    if (organizationId !== undefined) return this.issuers.organization(organizationId);
    const outside = this.staffIssuer === undefined ? [] : [{ issuer: this.staffIssuer }];
    return Promise.resolve([...this.issuers.embeddedOnly, ...outside]);
  }
}

function descriptionOf({ uri, scopes }: ProtectedResource, issuers: readonly TrustedIssuer[]): ResourceDescription {
  const binding = issuers.filter(({ requiresDpop }) => requiresDpop === true).length;
  return {
    uri,
    scopes,
    issuers: issuers.map(({ issuer }) => issuer),
    dpop: binding === 0 ? 'none' : binding === issuers.length ? 'all' : 'some',
    dpopAlgorithms: TOKEN_ALGORITHMS,
  };
}
