import type { AgentCaller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Presented } from '../../../kernel/ports/agent-authenticator.js';
import type { TokenVerifier, VerifiedToken } from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';
import { effectiveGrant, refusalOfGrant } from '../domain/grant-record.js';
import type { AgentClientDirectory, KnownClient } from './agent-client-store.js';
import type { IssuersOf } from './issuers-of.js';
import { refusedToken } from './refused-token.js';
import { refusedCredential } from './verified-keys.js';

/** `token68` of RFC 9110 §11.2: no comma, so that two credentials in one value are none. */
const CREDENTIALS = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Use case: establishes which agent holds an access token. The token says which client of which issuer calls; what that
 * client may do is the grant that the organization tied to it, narrowed to the scopes of the token (decision record 0031).
 */
export class AuthenticateToken {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly issuers: IssuersOf,
    private readonly clients: AgentClientDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws Failure `caller.credential_invalid` for a token that does not count here, a revoked client and an ended grant;
   *   `grant.scope_insufficient` for a good token whose client the organization does not know or gave no grant.
   */
  async authenticate(header: string, network: string, presented: Presented): Promise<AgentCaller> {
    const [, scheme = '', token = ''] = CREDENTIALS.exec(header) ?? [];
    const { organizationId, resource, method, proof } = presented;
    if (token === '' || organizationId === undefined) throw refusedToken('credential_malformed');
    const requirements = { issuers: await this.issuers.organization(organizationId), audience: resource };
    const possession = scheme.toLowerCase() === 'dpop' ? { proof, method, uri: resource } : undefined;
    const verified = await this.verifier.verify(token, requirements, possession);
    return this.callerOf(verified, await this.clientOf(organizationId, verified), network);
  }

  private async clientOf(organizationId: string, { issuer, clientId }: VerifiedToken): Promise<KnownClient> {
    const known = clientId === undefined ? undefined : await this.clients.find(organizationId, issuer, clientId);
    if (known === undefined) throw new Failure('grant.scope_insufficient', { auditReason: 'client_unknown' });
    return known;
  }

  private callerOf({ scopes }: VerifiedToken, { client, grant }: KnownClient, network: string): AgentCaller {
    const now = this.clock.now();
    if (client.revokedAt !== null && client.revokedAt <= now) throw refusedToken('client_revoked');
    if (grant === undefined) throw new Failure('grant.scope_insufficient', { auditReason: 'client_without_grant' });
    const refusal = refusalOfGrant(grant, now);
    if (refusal !== undefined) throw refusedCredential(refusal);
    const { agentClientId } = client;
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
