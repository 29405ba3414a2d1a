import { contextOf, type FastifyRequest } from '../../../platform/http/request-context.js';
import { staffOf } from '../../../platform/http/staff-request.js';
import type { SettingsChangeOrigin } from '../app/change-rooftop-settings.js';

/** The organization of the key that signed the request. Never an argument: a caller cannot name another one. */
export function organizationOf(request: FastifyRequest): string {
  return staffOf(request).organizationId;
}

/** On whose behalf a change is made. */
export function originOf(request: FastifyRequest): SettingsChangeOrigin {
  const { requestId, traceId } = contextOf(request);
  const { keyId } = staffOf(request);
  return { eventId: requestId, traceId, surface: 'admin', actorKind: 'key', actor: keyId, client: null };
}
