import { Global, Module } from '@nestjs/common';
import { EMBEDDED_ISSUER, type EmbeddedIssuer } from './kernel/ports/embedded-issuer.js';
import { REVOCATIONS, type Revocations } from './kernel/ports/revocations.js';
import { STAFF_AUTHENTICATOR } from './kernel/ports/staff-authenticator.js';
import { TOKEN_VERIFIER, type TokenVerifier } from './kernel/ports/token-verifier.js';
import { CLOCK, type Clock } from './kernel/time.js';
import { AuthModule } from './modules/auth/index.js';
import {
  AuthenticateStaff,
  OutsidePersons,
  type OutsideIssuer,
  STAFF_DIRECTORY,
  type StaffDirectory,
  StaffModule,
} from './modules/staff/index.js';
import { SETTINGS, type Settings } from './platform/config/settings.js';
import { publicUrlOf } from './platform/http/public-url.js';

/** Binds the edge's guard to who verifies tokens and to who knows the persons: neither module knows the other. */
@Global()
@Module({
  imports: [AuthModule, StaffModule],
  providers: [
    {
      provide: STAFF_AUTHENTICATOR,
      inject: [
        SETTINGS,
        TOKEN_VERIFIER,
        STAFF_DIRECTORY,
        OutsidePersons,
        REVOCATIONS,
        CLOCK,
        { token: EMBEDDED_ISSUER, optional: true },
      ],
      useFactory: (
        settings: Settings,
        verifier: TokenVerifier,
        directory: StaffDirectory,
        outsiders: OutsidePersons,
        revocations: Revocations,
        clock: Clock,
        embedded?: EmbeddedIssuer,
      ) => {
        const resource = `${publicUrlOf(settings)}/admin`;
        const own = embedded === undefined ? undefined : { issuer: embedded.issuer };
        const trust = { resource, embedded: own, outside: outsideIssuer(settings, resource) };
        return new AuthenticateStaff(verifier, trust, directory, outsiders, revocations, clock);
      },
    },
  ],
  exports: [STAFF_AUTHENTICATOR],
})
export class StaffAccessModule {}

/** Undefined where no identity provider is configured; load-settings.ts has checked that the rest is there. */
function outsideIssuer(settings: Settings, resource: string): OutsideIssuer | undefined {
  const { STAFF_OIDC_ISSUER: issuer, STAFF_OIDC_ORGANIZATION: id, STAFF_OIDC_ORGANIZATION_CLAIM: claim } = settings;
  if (issuer === undefined) return undefined;
  return {
    trusted: {
      issuer,
      ...(settings.STAFF_OIDC_JWKS_URI === undefined ? {} : { jwksUri: settings.STAFF_OIDC_JWKS_URI }),
    },
    audience: settings.STAFF_OIDC_AUDIENCE ?? resource,
    groupsClaim: settings.STAFF_OIDC_GROUPS_CLAIM,
    groupRoles: settings.STAFF_OIDC_GROUP_ROLES,
    organization: id === undefined ? { claim: claim ?? '' } : { id },
  };
}
