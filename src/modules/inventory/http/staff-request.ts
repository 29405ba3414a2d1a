import { actorOfStaff } from '../../../kernel/caller.js';
import { contextOf, type FastifyRequest } from '../../../platform/http/request-context.js';
import { staffOf } from '../../../platform/http/staff-request.js';
import type { ChangeOrigin } from '../app/change-audit.js';

/** On whose behalf a change is made. */
export function originOf(request: FastifyRequest): ChangeOrigin {
  const { requestId, traceId } = contextOf(request);
  return { requestId, traceId, surface: 'admin', ...actorOfStaff(staffOf(request)) };
}
