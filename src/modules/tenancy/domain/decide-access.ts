import type { AgentCaller, Caller, Grant } from '../../../kernel/caller.js';
import type { FailureCode } from '../../../kernel/failure/registry.js';
import { scopesCover } from '../../../kernel/key-scopes.js';
import type { RequestPurpose } from './dealer-policy.js';
import { termsAt } from './dealer-policy.js';
import type { DealerPolicy } from './policy-in-force.js';
import { isPublicProfile, rooftopsNeedingGrant } from './policy-in-force.js';

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
  /** The policy in force at the endpoint's organization, and the rooftops that there are. */
  readonly policy: DealerPolicy;
  readonly rooftopIds: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The rooftops that a call may reach: all of the organization, or these. */
export type ReachableRooftops = 'all' | readonly string[];

export type AccessDecision =
  | { readonly allow: true; readonly rooftops: ReachableRooftops; readonly policyVersion: string }
  /** `code` is the public failure; `reason` the true one, for the audit record only. */
  | { readonly allow: false; readonly code: FailureCode; readonly reason: string; readonly policyVersion: string };

type Denial = Omit<Extract<AccessDecision, { allow: false }>, 'policyVersion'>;

/**
 * Decides one call. Anonymous callers reach what the policy of the endpoint's own organization makes public; naming another
 * organization looks the same as naming one that does not exist (DAP error contract §4). Agents reach what their grant says,
 * and nothing beside it: whether a rooftop outside it exists is not looked up (DAP-CORE-030, 031). What the policy does not
 * allow is refused to both.
 */
export function decideAccess(question: AccessQuestion): AccessDecision {
  const { caller, policy } = question;
  const policyVersion = caller.kind === 'agent' ? `${policy.version}+${versionOf(caller.grant)}` : policy.version;
  const denial =
    (caller.kind === 'agent' ? denialByGrant(question, caller) : denialOfOthers(question)) ?? denialByPurpose(question);
  if (denial !== undefined) return { ...denial, policyVersion };
  return { allow: true, rooftops: reachOf(question), policyVersion };
}

/** Whether a grant opens an operation at all: what its holder's list of tools shows, and what a call is held against. */
export function grantOpens(grant: Grant, operation: AccessQuestion['operation']): boolean {
  return missingOf(grant, operation) === undefined;
}

/**
 * Whether an operation is open to callers without a grant, at one rooftop at least. One that needs no scope shows what the
 * business itself is, and stays open.
 */
export function isOpenToAll(policy: DealerPolicy, { access, profile, scopes }: AccessQuestion['operation']): boolean {
  return access === 'public' && (scopes.length === 0 || isPublicProfile(policy, profile));
}

/**
 * Whether all that a call is about is shown without a grant, whoever asks: what may go on where protected calls fail closed
 * (DAP security profile §7).
 */
export function isShownToAll(
  policy: DealerPolicy,
  operation: AccessQuestion['operation'],
  rooftops: ReachableRooftops,
): boolean {
  if (!isOpenToAll(policy, operation)) return false;
  const closed = rooftopsNeedingGrant(policy, operation.profile);
  return closed.length === 0 || (rooftops !== 'all' && !closed.some((id) => rooftops.includes(id)));
}

/** What of profile, scopes and the scopes of its key a grant lacks for an operation; undefined when nothing. */
function missingOf(grant: Grant, { name, profile, scopes }: AccessQuestion['operation']): string | undefined {
  if (scopes.length > 0 && !grant.profiles.includes(profile)) return 'profile_not_granted';
  if (scopes.some((scope) => !grant.scopes.includes(scope))) return 'scope_not_granted';
  return scopesCover(grant.keyScopes, name) ? undefined : 'key_scope_not_granted';
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
  const missing = missingOf(grant, operation);
  if (missing !== undefined) return deny('grant.scope_insufficient', missing);
  if (purpose !== undefined && !isPurposeGranted(grant, purpose))
    return deny('grant.scope_insufficient', 'purpose_not_granted');
  return undefined;
}

function denialOfOthers(question: AccessQuestion): Denial | undefined {
  const { caller, operation, endpointOrganizationId, namedOrganizationId, policy } = question;
  if ((caller.kind === 'key' || caller.kind === 'person') && caller.organizationId !== endpointOrganizationId)
    return deny('resource.not_found', 'key_of_other_organization');
  if (caller.kind === 'anonymous' && !isOpenToAll(policy, operation)) {
    const reason = operation.access === 'granted' ? 'anonymous_on_protected_operation' : 'profile_not_public';
    return deny('caller.unauthenticated', reason);
  }
  if (namedOrganizationId !== undefined && namedOrganizationId !== endpointOrganizationId)
    return deny('resource.not_found', 'organization_not_of_this_endpoint');
  return caller.kind === 'anonymous' ? denialAtRooftops(question) : undefined;
}

/** Where some rooftops ask for a grant: naming one of them does too, and so does asking for all when nothing is left. */
function denialAtRooftops({ operation, namedRooftopIds, policy, rooftopIds }: AccessQuestion): Denial | undefined {
  const closed = rooftopsNeedingGrant(policy, operation.profile);
  if (closed.length === 0) return undefined;
  if (namedRooftopIds.some((id) => closed.includes(id)) || rooftopIds.every((id) => closed.includes(id)))
    return deny('caller.unauthenticated', 'profile_not_public_at_rooftop');
  return namedRooftopIds.every((id) => rooftopIds.includes(id))
    ? undefined
    : deny('resource.not_found', 'rooftop_unknown');
}

/** The policy has the last word about purposes: at every rooftop that is named, or at one at least that is within reach. */
function denialByPurpose(question: AccessQuestion): Denial | undefined {
  const { caller, purpose, policy, namedRooftopIds } = question;
  if (purpose === undefined || caller.kind === 'system') return undefined;
  const denied = deny('grant.scope_insufficient', 'purpose_not_allowed_by_policy');
  if (!policy.document.purposes.includes(purpose as RequestPurpose)) return denied;
  if (namedRooftopIds.some((id) => !isPurposeAllowedAt(policy, id, purpose))) return denied;
  return reachOf(question).length === 0 && question.rooftopIds.length > 0 ? denied : undefined;
}

function isPurposeAllowedAt({ document }: DealerPolicy, rooftopId: string, purpose: string): boolean {
  return termsAt(document, rooftopId).purposes.includes(purpose as RequestPurpose);
}

/** What a call that is not refused may be about. Rooftops that no request names are left out where the policy asks for it. */
function reachOf(question: AccessQuestion): ReachableRooftops {
  const { caller, operation, policy, rooftopIds, namedRooftopIds, purpose } = question;
  if (caller.kind === 'system') return 'all';
  const granted = caller.kind === 'agent' ? rooftopsOf(caller.grant) : 'all';
  const closed = new Set(caller.kind === 'anonymous' ? rooftopsNeedingGrant(policy, operation.profile) : []);
  if (purpose !== undefined && namedRooftopIds.length === 0)
    for (const id of Object.keys(policy.document.rooftops))
      if (!isPurposeAllowedAt(policy, id, purpose)) closed.add(id);
  if (closed.size === 0) return granted;
  return (granted === 'all' ? rooftopIds : granted).filter((id) => !closed.has(id));
}

const rooftopsOf = ({ rooftops }: Grant): ReachableRooftops => rooftops.rooftopIds;
const versionOf = ({ grantId, version }: Grant): string => `${grantId}@${version}`;

const SHOPPING_PURPOSES: readonly string[] = ['display', 'comparison', 'shopping_assistance'];

/** `vehicle_shopping` covers the purposes that a request can name (decision record 0023). */
function isPurposeGranted({ purposes }: Grant, purpose: string): boolean {
  return purposes.includes(purpose) || (SHOPPING_PURPOSES.includes(purpose) && purposes.includes('vehicle_shopping'));
}

const deny = (code: FailureCode, reason: string): Denial => ({ allow: false, code, reason });
