import { actorOfStaff, type Caller } from '../kernel/caller.js';
import type { Failure } from '../kernel/failure/failure.js';
import type { AuditRecord } from '../kernel/ports/audit-recorder.js';
import type { AccessDecision, DealerGroup } from '../modules/tenancy/index.js';
import { rooftopIdsOf } from '../modules/tenancy/index.js';
import type { Call } from './call.js';
import type { Answer, OperationTargets } from './operation.js';

/** A call on its way, with what has been found out about it so far. */
export interface Passage {
  readonly call: Call;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  targets?: OperationTargets;
  decision?: AccessDecision;
  /** The group of the endpoint; undefined where there is none. */
  group?: DealerGroup | undefined;
}

/** What a call leaves in the audit trail, however it ended. */
export function recordOfPassage(passage: Passage, failure?: Failure, answer?: Answer): AuditRecord {
  const { call, now, decision, targets } = passage;
  const denied = decision?.allow === false || failure?.code === 'limit.rate_exceeded';
  return {
    eventId: call.requestId,
    occurredAt: now,
    organizationId: call.endpointOrganizationId,
    traceId: call.traceId,
    surface: call.surface,
    operation: call.operation.name,
    profile: call.operation.profile,
    ...actorOf(call.caller),
    rooftopIds: answer?.rooftopIds ?? rooftopsReached(passage),
    resourceIds: answer?.resourceIds ?? [],
    decision: denied ? 'deny' : 'allow',
    reason: failure === undefined ? null : reasonOf(failure),
    policyVersion: decision?.policyVersion ?? null,
    outcome: failure === undefined ? 'succeeded' : denied ? 'denied' : 'failed',
    failureCode: failure?.code ?? null,
    purpose: targets?.purpose ?? null,
  };
}

/** What a call leaves that its surface refused before any operation was looked at. */
export function recordOfRefusal(
  call: Omit<Call, 'operation' | 'input'>,
  operation: string,
  failure: Failure,
  now: number,
): AuditRecord {
  return {
    eventId: call.requestId,
    occurredAt: now,
    organizationId: call.endpointOrganizationId,
    traceId: call.traceId,
    surface: call.surface,
    operation,
    profile: null,
    ...actorOf(call.caller),
    rooftopIds: [],
    resourceIds: [],
    decision: 'deny',
    reason: reasonOf(failure),
    policyVersion: null,
    outcome: 'denied',
    failureCode: failure.code,
    purpose: null,
  };
}

/**
 * Rooftops that a failed call of an agent had reached: those that it named and was allowed, as far as they exist, also under
 * a delegation of all rooftops (DAP security profile §4). What others name, and what does not exist, stays out of the trail,
 * because it is input.
 */
function rooftopsReached({ call, decision, targets, group }: Passage): readonly string[] {
  if (call.caller.kind !== 'agent' || decision?.allow !== true || targets === undefined || group === undefined)
    return [];
  return targets.rooftopIds.filter((id) => rooftopIdsOf(group).includes(id));
}

const reasonOf = (failure: Failure): string => failure.context.auditReason ?? failure.code;

function actorOf(caller: Caller): Pick<AuditRecord, 'actorKind' | 'actor' | 'client'> {
  const actorKind = caller.kind;
  if (caller.kind === 'key' || caller.kind === 'person') return { ...actorOfStaff(caller), client: null };
  if (caller.kind === 'agent') return { actorKind, actor: caller.subject, client: caller.client ?? null };
  return { actorKind, actor: caller.kind === 'system' ? caller.name : null, client: null };
}
