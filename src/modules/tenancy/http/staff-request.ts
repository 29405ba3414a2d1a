import { Failure } from '../../../kernel/failure/failure.js';
import { contextOf, type FastifyRequest } from '../../../platform/http/request-context.js';
import type { SettingsChangeOrigin } from '../app/change-rooftop-settings.js';

/** The organization of the key that signed the request. Never an argument: a caller cannot name another one. */
export function organizationOf(request: FastifyRequest): string {
  return callerOf(request).organizationId;
}

/** On whose behalf a change is made. */
export function originOf(request: FastifyRequest): SettingsChangeOrigin {
  const { requestId, traceId } = contextOf(request);
  const { keyId } = callerOf(request);
  return { eventId: requestId, traceId, surface: 'admin', actorKind: 'key', actor: keyId, client: null };
}

function callerOf(request: FastifyRequest): { organizationId: string; keyId: string } {
  const { caller } = contextOf(request);
  if (caller === undefined) throw new Failure('caller.unauthenticated');
  return caller;
}
