import type { AgentCaller, Caller, Grant } from '../../../kernel/caller.js';
import type { FailureCode } from '../../../kernel/failure/registry.js';

/** Everything a decision depends on, the time included. No I/O: the same input gives the same answer. */
export interface AccessQuestion {
  readonly caller: Caller;
  readonly operation: {
    readonly name: string;
    readonly access: 'public' | 'granted';
    readonly profile: string;
    readonly scopes: readonly string[];
  };
  /** The organization whose endpoint was called. */
  readonly endpointOrganizationId: string;
  /** The organization that the input names, where it does. */
  readonly namedOrganizationId: string | undefined;
  /** The rooftops that the input names. */
  readonly namedRooftopIds: readonly string[];
  /** What the caller says it asks for, where the operation takes a purpose. */
  readonly purpose: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The rooftops that a call may reach: all of the organization, or these. */
export type ReachableRooftops = 'all' | readonly string[];

export type AccessDecision =
  | { readonly allow: true; readonly rooftops: ReachableRooftops; readonly policyVersion: string }
  /** `code` is the public failure; `reason` the true one, for the audit record only. */
  | { readonly allow: false; readonly code: FailureCode; readonly reason: string; readonly policyVersion: string };

/** Version of the built-in policy: published retail is open to all, everything else needs a grant. */
export const BUILT_IN_POLICY_VERSION = 'built-in.1';

type Denial = Omit<Extract<AccessDecision, { allow: false }>, 'policyVersion'>;

/**
 * Decides one call. Anonymous callers reach published retail of the endpoint's own organization; naming another one looks
 * the same as naming one that does not exist (DAP error contract §4). Agents reach what their grant says, and nothing
 * beside it: whether a rooftop outside it exists is not looked up (DAP-CORE-030, 031).
 */
export function decideAccess(question: AccessQuestion): AccessDecision {
  const { caller } = question;
  const policyVersion =
    caller.kind === 'agent' ? `${BUILT_IN_POLICY_VERSION}+${versionOf(caller.grant)}` : BUILT_IN_POLICY_VERSION;
  const denial = caller.kind === 'agent' ? denialByGrant(question, caller) : denialOfOthers(question);
  if (denial !== undefined) return { ...denial, policyVersion };
  return { allow: true, rooftops: caller.kind === 'agent' ? rooftopsOf(caller.grant) : 'all', policyVersion };
}

/** In the order of DAP security profile §4: grant in force → organization → every rooftop → profile and scope → purpose. */
function denialByGrant(question: AccessQuestion, { grant }: AgentCaller): Denial | undefined {
  const { operation, endpointOrganizationId, namedOrganizationId, namedRooftopIds, purpose, now } = question;
  if (grant.expiresAt <= now) return deny('caller.credential_invalid', 'grant_expired');
  if (
    grant.organizationId !== endpointOrganizationId ||
    (namedOrganizationId ?? endpointOrganizationId) !== endpointOrganizationId
  )
    return deny('grant.tenant_forbidden', 'organization_outside_grant');
  const reachable = rooftopsOf(grant);
  // One rooftop outside fails the whole request: an answer about the others would hide that something was left out.
  if (reachable !== 'all' && (reachable.length === 0 || namedRooftopIds.some((id) => !reachable.includes(id))))
    return deny('grant.tenant_forbidden', 'rooftop_outside_grant');
  if (operation.scopes.length > 0 && !grant.profiles.includes(operation.profile))
    return deny('grant.scope_insufficient', 'profile_not_granted');
  if (operation.scopes.some((scope) => !grant.scopes.includes(scope)))
    return deny('grant.scope_insufficient', 'scope_not_granted');
  if (purpose !== undefined && !isPurposeGranted(grant, purpose))
    return deny('grant.scope_insufficient', 'purpose_not_granted');
  return undefined;
}

function denialOfOthers(question: AccessQuestion): Denial | undefined {
  const { caller, operation, endpointOrganizationId, namedOrganizationId } = question;
  if ((caller.kind === 'key' || caller.kind === 'person') && caller.organizationId !== endpointOrganizationId)
    return deny('resource.not_found', 'key_of_other_organization');
  if (operation.access === 'granted' && caller.kind === 'anonymous')
    return deny('caller.unauthenticated', 'anonymous_on_protected_operation');
  if (namedOrganizationId !== undefined && namedOrganizationId !== endpointOrganizationId)
    return deny('resource.not_found', 'organization_not_of_this_endpoint');
  return undefined;
}

const rooftopsOf = ({ rooftops }: Grant): ReachableRooftops => rooftops.rooftopIds;
const versionOf = ({ grantId, version }: Grant): string => `${grantId}@${version}`;

const SHOPPING_PURPOSES: readonly string[] = ['display', 'comparison', 'shopping_assistance'];

/** `vehicle_shopping` covers the purposes that a request can name (decision record 0023). */
function isPurposeGranted({ purposes }: Grant, purpose: string): boolean {
  return purposes.includes(purpose) || (SHOPPING_PURPOSES.includes(purpose) && purposes.includes('vehicle_shopping'));
}

const deny = (code: FailureCode, reason: string): Denial => ({ allow: false, code, reason });
