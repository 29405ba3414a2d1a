import type { Caller } from '../../../kernel/caller.js';
import type { FailureCode } from '../../../kernel/failure/registry.js';

/** Everything a decision depends on. No clock, no I/O: the same input gives the same answer. */
export interface AccessQuestion {
  readonly caller: Caller;
  readonly operation: { readonly name: string; readonly access: 'public' | 'granted' };
  /** The organization whose endpoint was called. */
  readonly endpointOrganizationId: string;
  /** The organization that the input names, where it does. */
  readonly namedOrganizationId: string | undefined;
}

export type AccessDecision =
  | { readonly allow: true; readonly policyVersion: string }
  /** `code` is the public failure; `reason` the true one, for the audit record only. */
  | { readonly allow: false; readonly code: FailureCode; readonly reason: string; readonly policyVersion: string };

/** Version of the built-in policy: published retail is open to all, everything else to nobody. */
export const BUILT_IN_POLICY_VERSION = 'built-in.1';

/**
 * Decides one call. Anonymous callers reach published retail of the endpoint's own organization; naming another one looks
 * the same as naming one that does not exist (DAP error contract §4).
 */
export function decideAccess(question: AccessQuestion): AccessDecision {
  const policyVersion = BUILT_IN_POLICY_VERSION;
  const { caller, operation, endpointOrganizationId, namedOrganizationId } = question;
  if (caller.kind === 'key' && caller.organizationId !== endpointOrganizationId) {
    return { allow: false, code: 'resource.not_found', reason: 'key_of_other_organization', policyVersion };
  }
  if (namedOrganizationId !== undefined && namedOrganizationId !== endpointOrganizationId) {
    return { allow: false, code: 'resource.not_found', reason: 'organization_not_of_this_endpoint', policyVersion };
  }
  if (operation.access === 'granted' && caller.kind === 'anonymous') {
    return { allow: false, code: 'caller.unauthenticated', reason: 'anonymous_on_protected_operation', policyVersion };
  }
  return { allow: true, policyVersion };
}
