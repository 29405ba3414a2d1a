import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuditTrail } from '../support/audit-trail.js';
import { exchange, type RawAnswer } from '../support/raw-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPerson, personBearer } from '../support/staff.js';

let service: TestService;
let trail: AuditTrail;
let staff: readonly string[];

beforeAll(async () => {
  service = await startTestService({ demo: false });
  trail = await AuditTrail.open(service.database);
  const person = await personBearer(service, await addPerson(service, service.organizationId, 'admin'));
  staff = [`Bearer ${await service.adminToken()}`, person];
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

const get = (path: string, headers: readonly string[]): Promise<RawAnswer> => {
  const port = Number(new URL(service.origin).port);
  const lines = [`GET /admin/v1/${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers];
  return exchange(port, [`${lines.join('\r\n')}\r\n\r\n`]);
};
const reasonOf = async (answer: RawAnswer): Promise<string | null | undefined> =>
  (await trail.ofEvent(answer.headers['x-request-id'] ?? null))[0]?.reason;

it('staff with a key or a token are let in by one header', async () => {
  for (const bearer of staff) expect((await get('rooftops', [`Authorization: ${bearer}`])).status).toBe(200);
});

it('a credential in the query is refused, alone and beside a good header, and so are two headers', async () => {
  for (const bearer of staff) {
    const token = bearer.slice('Bearer '.length);
    const good = `Authorization: ${bearer}`;
    for (const [path, headers, reason] of [
      [`rooftops?access_token=${token}`, [], 'token_in_query'],
      [`rooftops?limit=1&access_token=${token}`, [good], 'token_in_query'],
      ['rooftops?access_token=', [good], 'token_in_query'],
      ['rooftops', [good, good], 'credential_repeated'],
      ['rooftops', [good, 'authorization: Bearer x'], 'credential_repeated'],
      ['rooftops', ['AUTHORIZATION: Bearer x', good], 'credential_repeated'],
    ] as const) {
      const answer = await get(path, headers);
      expect({ path: path.split('access_token')[0], status: answer.status, reason: await reasonOf(answer) }).toEqual({
        ...{ path: path.split('access_token')[0], status: 401, reason },
      });
      expect(answer.text).not.toContain(token);
    }
  }
});
