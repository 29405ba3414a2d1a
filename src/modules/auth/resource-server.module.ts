import { join } from 'node:path';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Inject, Module } from '@nestjs/common';
import type pg from 'pg';
import { EMBEDDED_ISSUER, type EmbeddedIssuer } from '../../kernel/ports/embedded-issuer.js';
import { PROTECTED_RESOURCES, type ProtectedResources } from '../../kernel/ports/protected-resources.js';
import { TOKEN_VERIFIER, type TokenVerifier } from '../../kernel/ports/token-verifier.js';
import { REVOCATIONS, type Revocations } from '../../kernel/ports/revocations.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { CredentialFolder } from '../../platform/config/credential-folder.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { EgressClient } from '../../platform/egress/egress-client.js';
import { extraAuthorities } from '../../platform/egress/extra-authorities.js';
import { publicUrlOf } from '../../platform/http/public-url.js';
import { DEALER_DIRECTORY, type DealerDirectory, TenancyModule } from '../tenancy/index.js';
import { AuthenticateToken } from './app/authenticate-token.js';
import { DescribeResource } from './app/describe-resource.js';
import { DpopProofs } from './app/dpop-proofs.js';
import { IntrospectedTokens } from './app/introspected-tokens.js';
import { IssuerKeys } from './app/issuer-keys.js';
import { IssuersOf } from './app/issuers-of.js';
import { KnownAccess } from './app/known-access.js';
import { KnownClients } from './app/known-clients.js';
import { KnownResources } from './app/known-resources.js';
import { RememberedTokens } from './app/remembered-tokens.js';
import { VerifyToken } from './app/verify-token.js';
import { EgressIssuerDocuments } from './infra/egress-issuer-documents.js';
import { PassportTokenSignatures } from './infra/passport-token-signatures.js';
import { PostgresUsedProofs } from './infra/postgres-used-proofs.js';
import { KnownAccessModule } from './known-access.module.js';

const EGRESS = Symbol('EgressClient');
const EMBEDDED = { token: EMBEDDED_ISSUER, optional: true };

/** @returns undefined where its tokens have an audience of their own: a client that finds it here could not ask for them. */
function staffIssuerOf(settings: Settings): string | undefined {
  const { STAFF_OIDC_ISSUER: issuer, STAFF_OIDC_AUDIENCE: audience } = settings;
  return audience === undefined || audience === `${publicUrlOf(settings)}/admin` ? issuer : undefined;
}

/** The OAuth 2.1 resource server: which resources there are, whom they trust, whether a token counts, and who holds it. */
@Module({
  imports: [KnownAccessModule, TenancyModule],
  providers: [
    {
      provide: PROTECTED_RESOURCES,
      inject: [SETTINGS, DEALER_DIRECTORY],
      useFactory: (settings: Settings, directory: DealerDirectory) =>
        new KnownResources(publicUrlOf(settings), directory),
    },
    {
      provide: EGRESS,
      inject: [SETTINGS],
      useFactory: (settings: Settings) =>
        new EgressClient(settings.EGRESS_ALLOWED_HOSTS, undefined, extraAuthorities(settings.EGRESS_CA_FILE)),
    },
    {
      provide: IssuersOf,
      inject: [KnownClients, EMBEDDED],
      useFactory: (trusted: KnownClients, embedded?: EmbeddedIssuer) => new IssuersOf(trusted, embedded),
    },
    {
      provide: DescribeResource,
      inject: [PROTECTED_RESOURCES, IssuersOf, SETTINGS],
      useFactory: (resources: ProtectedResources, issuers: IssuersOf, settings: Settings) =>
        new DescribeResource(resources, issuers, staffIssuerOf(settings)),
    },
    {
      provide: TOKEN_VERIFIER,
      inject: [EGRESS, SETTINGS, POOL, CLOCK, EMBEDDED],
      useFactory: (
        egress: EgressClient,
        settings: Settings,
        pool: pg.Pool,
        clock: Clock,
        embedded?: EmbeddedIssuer,
      ) => {
        const folder = settings.ISSUER_CREDENTIALS_DIR ?? join(settings.DATA_DIR, 'secrets', 'issuers');
        const documents = new EgressIssuerDocuments(egress, new CredentialFolder(folder));
        return new VerifyToken({
          signatures: new PassportTokenSignatures(),
          keys: new IssuerKeys(documents, embedded, clock),
          remembered: new RememberedTokens(clock),
          introspected: new IntrospectedTokens(documents, clock),
          proofs: new DpopProofs(new PostgresUsedProofs(pool, clock), clock),
          clock,
        });
      },
    },
    {
      provide: AuthenticateToken,
      inject: [TOKEN_VERIFIER, IssuersOf, KnownClients, KnownAccess, REVOCATIONS, CLOCK],
      useFactory: (
        verifier: TokenVerifier,
        issuers: IssuersOf,
        clients: KnownClients,
        { findGrant }: KnownAccess,
        revocations: Revocations,
        clock: Clock,
      ) => new AuthenticateToken({ verifier, issuers, clients, findGrant, revocations, clock }),
    },
  ],
  exports: [AuthenticateToken, DescribeResource, PROTECTED_RESOURCES, TOKEN_VERIFIER],
})
export class ResourceServerModule implements OnApplicationShutdown {
  constructor(@Inject(EGRESS) private readonly egress: EgressClient) {}

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
