import type { RateBucket } from '../kernel/ports/rate-limiter.js';
import { LIMITS } from '../kernel/limits.js';
import type { Call } from './call.js';

export interface CallLimits {
  /** Of one network. */
  readonly anonymousCallsPerMinute: number;
  /** Of one subject of one organization, whatever keys and networks it comes with. */
  readonly agentCallsPerMinute: number;
  /** Of one key of a subject. */
  readonly agentKeyCallsPerMinute: number;
  /** About one rooftop, by all anonymous callers, and as many by all agents; and as many that are about the whole group. */
  readonly rooftopCallsPerMinute: number;
}

/**
 * What a call counts on (DAP security profile §9): who asks, and what is asked about. A call that names a few rooftops counts
 * once on each; one that names more, or none, is about the group and counts once on the group's own allowance, however many
 * rooftops it reaches. Anonymous callers and agents have each their own, so that the public cannot use up what agents were
 * granted. Nothing but the names in the request decides, so that a refusal tells nothing about what exists.
 */
export function allowancesOf(call: Call, limits: CallLimits): readonly RateBucket[] {
  const { caller, endpointOrganizationId: organization } = call;
  if (caller.kind === 'anonymous')
    return [anonymousAllowance(caller.network, limits), ...aboutRooftops(call, 'public', limits)];
  if (caller.kind !== 'agent') return [];
  const buckets: RateBucket[] = [
    { policy: 'subject', key: `${organization}/${caller.subject}`, limit: limits.agentCallsPerMinute },
  ];
  if (caller.credentialId !== undefined)
    buckets.push({ policy: 'key', key: `agent:${caller.credentialId}`, limit: limits.agentKeyCallsPerMinute });
  return [...buckets, ...aboutRooftops(call, 'agents', limits)];
}

/** Of everything that anonymous callers of one network ask. */
export const anonymousAllowance = (network: string, limits: CallLimits): RateBucket => ({
  policy: 'network',
  key: network,
  limit: limits.anonymousCallsPerMinute,
});

function aboutRooftops(call: Call, whose: 'public' | 'agents', limits: CallLimits): readonly RateBucket[] {
  const { rooftopIds } = call.operation.targetsOf(call.input);
  const named = isShortListOfNames(rooftopIds) ? [...new Set(rooftopIds)] : [WHOLE_GROUP];
  return named.map((rooftop) => ({
    policy: 'rooftop',
    key: `${whose}:${call.endpointOrganizationId}/${rooftop}`,
    limit: limits.rooftopCallsPerMinute,
  }));
}

/** Counting comes before validation, so that nothing is certain of what the input names. */
const isShortListOfNames = (names: unknown): names is readonly string[] =>
  Array.isArray(names) &&
  names.length > 0 &&
  names.length <= LIMITS.rooftopsCountedPerCall.value &&
  names.every((name) => typeof name === 'string' && name.length <= LONGEST_NAME);

const LONGEST_NAME = 128;
const WHOLE_GROUP = '*';
