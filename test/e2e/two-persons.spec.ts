import { afterAll, beforeAll, expect, it } from 'vitest';
import { signInOverHttp } from '../../src/command/staff-sign-in.js';
import { seedStaff } from '../../src/process/seed-staff.js';
import { callAdmin } from '../support/admin-client.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ demo: false });
});
afterAll(() => service.stop());

/** Signs in as a person does: one-time code, forms, code exchange. @returns a header value by person */
async function signInAll(): Promise<ReadonlyMap<string, string>> {
  const bearers = new Map<string, string>();
  for (const { personId, code } of await seedStaff(service.parts, service.organizationId)) {
    const { accessToken } = await signInOverHttp(service.origin, personId, code);
    bearers.set(personId, `Bearer ${accessToken}`);
  }
  return bearers;
}

it('walks a flow of two persons on one machine, from printed codes to a delegation in force', async () => {
  const bearers = await signInAll();
  expect([...bearers.keys()]).toEqual(['staff.admin', 'staff.compliance', 'staff.auditor']);
  const as = (personId: string, method: string, path: string, body?: object) =>
    callAdmin(service, bearers.get(personId) ?? null, method, path, body);
  const asked = await as('staff.admin', 'POST', 'group-delegations', {
    grantee: 'agent:group',
    covers: 'all',
    scopes: ['dealeragent:inventory:read'],
    expires_at: '2099-01-01T00:00:00Z',
  });
  expect(asked.status, asked.text).toBe(202);
  const { delegation_id: id, approval } = asked.json.data as {
    delegation_id: string;
    approval: { approval_id: string };
  };
  const shown = await as('staff.auditor', 'GET', `approvals/${approval.approval_id}`);
  const { content_hash: contentHash, summary } = shown.json.data as { content_hash: string; summary: string };
  expect(summary).toContain('agent:group');
  const body = { content_hash: contentHash };
  expect((await as('staff.admin', 'POST', `approvals/${approval.approval_id}/approve`, body)).status).toBe(403);
  expect((await as('staff.compliance', 'POST', `approvals/${approval.approval_id}/approve`, body)).status).toBe(200);
  const active = await as('staff.admin', 'POST', `group-delegations/${id}/activate`);
  expect(active.status, active.text).toBe(200);
});

it('gives the same persons new codes at the next start', async () => {
  const [first] = await seedStaff(service.parts, service.organizationId);
  const [again] = await seedStaff(service.parts, service.organizationId);
  expect(again?.personId).toBe(first?.personId);
  expect(again?.code).not.toBe(first?.code);
});
