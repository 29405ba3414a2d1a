import type { KeyRole } from '../../src/kernel/caller.js';
import { newRequestId, traceIdOfRequest } from '../../src/kernel/ids.js';
import { CREATE_KEY } from '../../src/modules/auth/index.js';
import type { CreateKey } from '../../src/modules/auth/index.js';
import type { WireAnswer } from './mcp-http.js';
import { send } from './mcp-http.js';
import type { TestService } from './service.js';

/** A new API key; the token is all that is known of it afterwards. */
export async function createKey(
  service: TestService,
  organizationId: string,
  role: KeyRole,
  expiresAt: number | null = null,
): Promise<string> {
  const eventId = newRequestId();
  const created = await service.parts.get<CreateKey>(CREATE_KEY).run(
    { organizationId, name: `test ${role}`, role, expiresAt },
    {
      eventId,
      traceId: traceIdOfRequest(eventId),
      surface: 'command',
      actorKind: 'system',
      actor: 'test',
      client: null,
    },
  );
  return created.token;
}

/** Calls the admin API. Objects are sent as JSON, texts as CSV. */
export function callAdmin(
  service: TestService,
  authorization: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<WireAnswer> {
  const type = typeof body === 'string' ? 'text/csv' : 'application/json';
  return send(`${service.origin}/admin/v1/${path}`, {
    method,
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}
