import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { callAdmin } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPerson, personBearer } from '../support/staff.js';
import { withRoom } from '../support/with-room.js';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

let keys: Keys;
let provider: Server;
let issuer: string;
let service: TestService;
let trail: AuditTrail;

beforeAll(async () => {
  keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  provider = createServer((request, response) => {
    const body = request.url === '/jwks' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  const { port } = provider.address() as AddressInfo;
  issuer = `http://127.0.0.1:${port}`;
  service = await startTestService({
    demo: false,
    env: {
      EGRESS_ALLOWED_HOSTS: `127.0.0.1:${port}`,
      STAFF_OIDC_ISSUER: issuer,
      STAFF_OIDC_JWKS_URI: `${issuer}/jwks`,
      STAFF_OIDC_GROUP_ROLES: 'dealer-admins=admin,dealer-compliance=compliance',
      STAFF_OIDC_ORGANIZATION: DEMO_ORGANIZATION,
    },
  });
  trail = await AuditTrail.open(service.database);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
  await new Promise((done) => provider.close(done));
});

let issuedAt = Math.floor(Date.now() / 1000) - 60;
async function bearer(sub: string, groups: unknown, claims: object = {}, signer: Keys = keys): Promise<string> {
  const now = issuedAt++; // each token is newer than the one before
  const payload = { iss: issuer, aud: `${service.origin}/admin`, sub, groups, iat: now, exp: now + 600, ...claims };
  const header = { alg: 'ES256', typ: 'JWT', kid: 'k1' };
  return `Bearer ${await new SignJWT(payload).setProtectedHeader(header).sign(signer.privateKey)}`;
}
const list = (authorization: string) => callAdmin(service, authorization, 'GET', 'staff?limit=100');
const find = async (authorization: string, subject: string) => {
  const { persons } = (await list(authorization)).json.data as { persons: Record<string, unknown>[] };
  return persons.filter((person) => person['subject'] === subject);
};

describe('Staff of an outside identity provider', () => {
  it('come in by their groups, and are the same person at every sign-in', async () => {
    const robin = await bearer('robin', ['guests', 'dealer-admins'], { name: 'Robin\u0007 Doe' });
    const later = await bearer('robin', ['dealer-admins'], { name: 'Robin\u0007 Doe' });
    const answers = await Promise.all([list(robin), list(later), list(robin), list(later)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await find(robin, 'robin')).toMatchObject([{ name: 'Robin  Doe', role: 'admin', issuer }]);
    const [record] = await trail.ofEvent(answers[0].headers.get('x-request-id'));
    expect(record).toMatchObject({ actor_kind: 'person', decision: 'allow' });
  });

  it('get nowhere without a group that gives a role, and leave no row behind', async () => {
    const stranger = await list(await bearer('stranger', ['guests']));
    expect(stranger.json.error).toMatchObject({ code: 'forbidden_role' });
    const [record] = await trail.ofEvent(stranger.headers.get('x-request-id'));
    expect(record).toMatchObject({ decision: 'deny', reason: 'groups_give_no_role' });
    expect(await find(await bearer('robin', ['dealer-admins']), 'stranger')).toEqual([]);
  });

  it('lose the role with the group, and an older token does not give it back', async () => {
    const older = await bearer('sam', ['dealer-admins']);
    expect((await list(older)).status).toBe(200);
    expect((await list(await bearer('sam', []))).status).toBe(403);
    const second = await bearer('sam', ['dealer-admins'], { iat: issuedAt - 300, exp: issuedAt + 300 });
    expect((await list(second)).status).toBe(403);
    expect(await find(await bearer('robin', ['dealer-admins']), 'sam')).toMatchObject([{ role: null }]);
  });

  it('are out within two seconds once they are disabled here', async () => {
    const robin = await bearer('robin', ['dealer-admins']);
    const kim = await bearer('kim', 'dealer-compliance', { amr: ['mfa'], auth_time: issuedAt });
    expect((await callAdmin(service, kim, 'GET', 'approvals')).status).toBe(200);
    const [{ person_id: id, version }] = (await find(robin, 'kim')) as [{ person_id: string; version: number }];
    const change = { disabled: true };
    const headers = { 'if-match': `"${version}"` };
    expect((await callAdmin(service, robin, 'PATCH', `staff/${id}`, change, headers)).status).toBe(200);
    await expect
      .poll(async () => (await callAdmin(service, kim, 'GET', 'approvals')).status, { timeout: withRoom(2000) })
      .toBe(401);
    const role = await callAdmin(service, robin, 'PATCH', `staff/${id}`, { role: 'admin' }, { 'if-match': '"2"' });
    expect(role.status).toBe(400);
    expect((await callAdmin(service, robin, 'POST', `staff/${id}/codes`)).status).toBe(400);
  });

  it('are refused with a token of somebody else’s key, audience or issuer', async () => {
    const foreign = await generateKeyPair('ES256');
    const refused: [string, string][] = [
      [await bearer('robin', ['dealer-admins'], {}, foreign), 'token_signature'],
      [await bearer('robin', ['dealer-admins'], { aud: `${service.origin}/admin/` }), 'token_audience'],
      [await bearer('robin', ['dealer-admins'], { iss: `${issuer}/` }), 'token_issuer'],
      // A person of this service is not one by the word of the outside provider, nor the other way round.
      [await bearer('robin', ['dealer-admins'], { iss: `${service.origin}/oauth` }), 'token_key_unknown'],
    ];
    for (const [authorization, reason] of refused) {
      const answer = await list(authorization);
      expect(answer.status, reason).toBe(401);
      const [record] = await trail.ofEvent(answer.headers.get('x-request-id'));
      expect(record?.reason).toBe(reason);
    }
    const own = await addPerson(service, service.organizationId, 'admin');
    expect((await list(await personBearer(service, own))).status).toBe(200);
  });
});
