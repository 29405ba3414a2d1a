import { Failure } from '../../../kernel/failure/failure.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { originOf, staffOf, type StaffOrigin } from '../../../platform/http/staff-request.js';

/**
 * On whose behalf a change is made that only persons make: a program that made persons could approve by them.
 * @throws Failure `caller.role_forbidden` for keys.
 */
export function personOrigin(request: FastifyRequest): StaffOrigin {
  if (staffOf(request).kind !== 'person')
    throw new Failure('caller.role_forbidden', { reason: 'person_required', auditReason: 'keys_change_no_staff' });
  return originOf(request);
}
