import type { AuthorizationAudit } from '../app/authorization-audit.js';
import type { AuthorizationEngine } from '../app/authorization-engine.js';
import { ExchangeAudit } from './exchange-audit.js';
import { makeProvider } from './make-provider.js';
import { OidcEngine } from './oidc-engine.js';
import type { ProviderParts } from './provider-configuration.js';

/**
 * The engine on the protocol library. Only this file leads to the library, and it is imported when an authorization server is
 * made: commands and workers, which know the module for its records, do not load it.
 */
export function makeEngine(around: ProviderParts, authorizationAudit: AuthorizationAudit): AuthorizationEngine {
  const { records, people, resources } = around;
  const audit = new ExchangeAudit({ audit: authorizationAudit, records, people, resources });
  return new OidcEngine(makeProvider({ ...around, audit }));
}
