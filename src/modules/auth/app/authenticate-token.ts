import type { AgentCaller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Presented } from '../../../kernel/ports/agent-authenticator.js';
import type { Revocations } from '../../../kernel/ports/revocations.js';
import type { TokenVerifier, VerifiedToken } from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';
import type { AgentClient } from '../domain/agent-client.js';
import { effectiveGrant, type GrantRecord, refusalOfGrant } from '../domain/grant-record.js';
import type { AgentClientDirectory } from './agent-client-store.js';
import type { IssuersOf } from './issuers-of.js';
import { grantWithEnd } from './known-access.js';
import type { FindGrant } from './recent-lookups.js';
import { refusedToken } from './refused-token.js';
import { refusedCredential } from './verified-keys.js';

/** `token68` of RFC 9110 §11.2: no comma, so that two credentials in one value are none. */
const CREDENTIALS = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;

interface Parts {
  readonly verifier: TokenVerifier;
  readonly issuers: IssuersOf;
  readonly clients: AgentClientDirectory;
  readonly findGrant: FindGrant;
  readonly revocations: Revocations;
  readonly clock: Clock;
}

/**
 * Use case: establishes which agent holds an access token. The token says which client of which issuer calls; what that
 * client may do is the grant that the organization tied to it, narrowed to the scopes of the token (decision record 0031).
 */
export class AuthenticateToken {
  constructor(private readonly parts: Parts) {}

  /**
   * @throws Failure `caller.credential_invalid` for a token that does not count here, a revoked client and an ended grant;
   *   `grant.scope_insufficient` for a good token whose client the organization does not know or gave no grant.
   */
  async authenticate(header: string, network: string, presented: Presented): Promise<AgentCaller> {
    const [, scheme = '', token = ''] = CREDENTIALS.exec(header) ?? [];
    const { organizationId, resource, method, proof } = presented;
    if (token === '' || organizationId === undefined) throw refusedToken('credential_malformed');
    const { verifier, issuers } = this.parts;
    const requirements = { issuers: await issuers.organization(organizationId), audience: resource };
    const possession = scheme.toLowerCase() === 'dpop' ? { proof, method, uri: resource } : undefined;
    const verified = await verifier.verify(token, requirements, possession);
    const client = await this.clientOf(organizationId, verified);
    const caller = this.callerOf(verified, client, await this.grantOf(organizationId, client), network);
    const trustId = requirements.issuers.find(({ issuer }) => issuer === verified.issuer)?.trustId;
    return trustId === undefined ? caller : { ...caller, issuerTrustId: trustId };
  }

  private async clientOf(organizationId: string, { issuer, clientId }: VerifiedToken): Promise<AgentClient> {
    const { clients, clock } = this.parts;
    const client = clientId === undefined ? undefined : await clients.find(organizationId, issuer, clientId);
    if (client === undefined) throw new Failure('grant.scope_insufficient', { auditReason: 'client_unknown' });
    if (client.revokedAt !== null && client.revokedAt <= clock.now()) throw refusedToken('client_revoked');
    return client;
  }

  private async grantOf(organizationId: string, { grantId }: AgentClient): Promise<GrantRecord> {
    const { findGrant, revocations, clock } = this.parts;
    const found = grantId === null ? undefined : await findGrant(organizationId, grantId);
    if (found === undefined) throw new Failure('grant.scope_insufficient', { auditReason: 'client_without_grant' });
    const grant = grantWithEnd(found, revocations);
    const refusal = refusalOfGrant(grant, clock.now());
    if (refusal !== undefined) throw refusedCredential(refusal);
    return grant;
  }

  private callerOf(
    { scopes }: VerifiedToken,
    { agentClientId }: AgentClient,
    grant: GrantRecord,
    network: string,
  ): AgentCaller {
    const effective = effectiveGrant(grant);
    return {
      kind: 'agent',
      subject: effective.subject,
      grant: { ...effective, scopes: effective.scopes.filter((scope) => scopes.includes(scope)) },
      network,
      client: agentClientId,
      credentialId: agentClientId,
    };
  }
}
