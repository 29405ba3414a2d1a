import { Global, Module } from '@nestjs/common';
import { EMBEDDED_ISSUER, type EmbeddedIssuer } from '../../kernel/ports/embedded-issuer.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { publicUrlOf } from '../../platform/http/public-url.js';
import { type AuthorizationKeys, readAuthorizationKeys } from './infra/signing-keys.js';

export const AUTHORIZATION_KEYS = Symbol('AuthorizationKeys');

/**
 * Who issues tokens here and with which keys. Apart from the server itself, because those who verify tokens stand below it.
 * Imported only where the authorization server runs; EMBEDDED_ISSUER is optional for everybody else.
 */
@Global()
@Module({
  providers: [
    { provide: AUTHORIZATION_KEYS, inject: [SETTINGS], useFactory: readAuthorizationKeys },
    {
      provide: EMBEDDED_ISSUER,
      inject: [SETTINGS, AUTHORIZATION_KEYS],
      useFactory: (settings: Settings, keys: AuthorizationKeys): EmbeddedIssuer => ({
        issuer: `${publicUrlOf(settings)}/oauth`,
        keys: () => Promise.resolve(keys.published),
      }),
    },
  ],
  exports: [AUTHORIZATION_KEYS, EMBEDDED_ISSUER],
})
export class EmbeddedIssuerModule {}
