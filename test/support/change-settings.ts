import { expect } from 'vitest';
import type { WireAnswer } from './mcp-http.js';
import { send } from './mcp-http.js';
import type { TestService } from './service.js';

/** Changes some members of a rooftop's settings in force, over the admin API. */
export async function changeSettings(service: TestService, rooftopId: string, members: object): Promise<WireAnswer> {
  const authorization = `Bearer ${await service.adminToken()}`;
  const url = `${service.origin}/admin/v1/rooftops/${rooftopId}/settings`;
  const current = await send(url, { headers: { authorization } });
  const settings = { ...(current.json.data.settings as object), ...members };
  const answer = await send(url, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json', 'if-match': current.headers.get('etag') ?? '' },
    body: JSON.stringify({ settings, reason: 'Test' }),
  });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}
