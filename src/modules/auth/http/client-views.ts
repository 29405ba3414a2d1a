import { rfc3339 } from '../../../kernel/time.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { AgentClient } from '../domain/agent-client.js';
import { TOKEN_ALGORITHMS } from '../domain/token-header.js';
import type { TrustedIssuerRecord } from '../domain/trusted-issuer-record.js';
import type { TrustedIssuerDto } from './trusted-issuer.dto.js';

/** An agent client as the admin API shows it. */
export function agentClientView(client: AgentClient): object {
  return {
    agent_client_id: client.agentClientId,
    version: client.version,
    issuer: client.issuer,
    client_id: client.clientId,
    name: client.name,
    grant_id: client.grantId,
    created_at: rfc3339(client.createdAt),
    revoked_at: client.revokedAt === null ? null : rfc3339(client.revokedAt),
  };
}

/** A trusted issuer as the admin API shows it: the name of a credential, never the credential. */
export function trustedIssuerView({ trustedIssuerId, trust, createdAt, revokedAt }: TrustedIssuerRecord): object {
  const { issuer, jwksUri, algorithms, introspection, requiresDpop } = trust;
  return {
    trusted_issuer_id: trustedIssuerId,
    issuer,
    jwks_uri: jwksUri ?? null,
    algorithms,
    introspection:
      introspection === undefined
        ? null
        : {
            endpoint: introspection.endpoint,
            client_id: introspection.clientId,
            credential: introspection.credential,
          },
    requires_dpop: requiresDpop === true,
    created_at: rfc3339(createdAt),
    revoked_at: revokedAt === null ? null : rfc3339(revokedAt),
  };
}

export function requestedTrust(dto: TrustedIssuerDto): TrustedIssuer {
  const { issuer, jwks_uri: jwksUri, introspection } = dto;
  return {
    issuer,
    algorithms: dto.algorithms ?? TOKEN_ALGORITHMS,
    requiresDpop: dto.requires_dpop ?? false,
    ...(jwksUri === undefined ? {} : { jwksUri }),
    ...(introspection === undefined
      ? {}
      : {
          introspection: {
            endpoint: introspection.endpoint,
            clientId: introspection.client_id,
            credential: introspection.credential,
          },
        }),
  };
}
