import { actorOfStaff, type StaffCaller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { contextOf, type FastifyRequest } from './request-context.js';

/** Who signed the request. @throws Failure `caller.unauthenticated` where no guard has established anybody. */
export function staffOf(request: FastifyRequest): StaffCaller {
  const { caller } = contextOf(request);
  if (caller === undefined) throw new Failure('caller.unauthenticated');
  return caller;
}

/** The organization of who signed the request. Never an argument: a caller cannot name another one. */
export function organizationOf(request: FastifyRequest): string {
  return staffOf(request).organizationId;
}

/** On whose behalf a change is made, as the audit trail keeps it. */
export interface StaffOrigin {
  readonly eventId: string;
  readonly traceId: string;
  readonly surface: 'admin';
  readonly actorKind: 'key' | 'person';
  readonly actor: string;
  readonly client: null;
}

/** @throws Failure `caller.unauthenticated` where no guard has established anybody. */
export function originOf(request: FastifyRequest): StaffOrigin {
  const { requestId, traceId } = contextOf(request);
  return { eventId: requestId, traceId, surface: 'admin', ...actorOfStaff(staffOf(request)), client: null };
}
