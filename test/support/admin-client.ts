import { randomUUID } from 'node:crypto';
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

/**
 * Calls the admin API. Objects are sent as JSON, texts as CSV. A POST has a fresh Idempotency-Key unless told otherwise; a
 * header given as null is left out.
 */
export function callAdmin(
  service: Pick<TestService, 'origin'>,
  authorization: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string | null>> = {},
): Promise<WireAnswer> {
  const type = typeof body === 'string' ? 'text/csv' : 'application/json';
  const all: Record<string, string | null> = {
    authorization,
    ...(method === 'POST' ? freshKey() : {}),
    ...(body === undefined ? {} : { 'content-type': type }),
    ...headers,
  };
  return send(`${service.origin}/admin/v1/${path}`, {
    method,
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** The header that every POST of the admin API needs, with a key of its own. */
export const freshKey = (): { readonly 'idempotency-key': string } => ({ 'idempotency-key': randomUUID() });
