import { afterAll, beforeAll, expect, it } from 'vitest';
import { callAdmin } from '../support/admin-client.js';
import { approve } from '../support/dealer-policy.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons, personBearer } from '../support/staff.js';

let service: TestService;
let persons: Persons;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  persons = await addPersons(service, service.organizationId);
});
afterAll(() => service.stop());

const call = async (
  role: keyof Persons,
  method: string,
  path: string,
  body?: object,
  etag?: string,
): Promise<WireAnswer> =>
  callAdmin(
    service,
    await personBearer(service, persons[role]),
    method,
    `retention/${path}`,
    body,
    etag === undefined ? {} : { 'if-match': etag },
  );
const page = async (): Promise<unknown> => {
  const url = `${service.origin}/organizations/${service.organizationId}/policy`;
  return (await fetch(url, { headers: { accept: 'application/json' } })).json();
};

it('goes from a starting profile over two approvals to the public page', async () => {
  expect(await page()).toMatchObject({ retention_policy: null });
  expect((await call('auditor', 'GET', 'policies/active')).status).toBe(400);
  const profile = (await call('auditor', 'GET', 'profiles/us.dealer')).json.data as { document: object };
  const named = { policy_id: 'retention.a', name: 'Our policy', reason: 'Test' };
  expect((await call('auditor', 'POST', 'policies/drafts', { ...named, profile_id: 'us.dealer' })).status).toBe(403);
  const both = await call('compliance', 'POST', 'policies/drafts', {
    ...named,
    document: profile.document,
    profile_id: 'us.dealer',
  });
  expect(both.json.error.details).toMatchObject({ violations: [{ pointer: '/profile_id' }] });
  const drafted = await call('compliance', 'POST', 'policies/drafts', { ...named, profile_id: 'us.dealer' });
  expect(drafted.status, drafted.text).toBe(201);
  const path = `policies/drafts/${drafted.json.data.draft_id as string}`;
  expect((await call('compliance', 'GET', path)).json.data).toMatchObject({ refused_for: [], revision: 1 });
  const replaced = await call('compliance', 'PUT', path, { ...named, document: profile.document }, '"1"');
  expect(replaced.headers.get('etag')).toBe('"2"');
  const activate = (): Promise<WireAnswer> => call('compliance', 'POST', `${path}/activate`, undefined, '"2"');
  const { approval_id: approvalId } = (await activate()).json.error.details as { approval_id: string };
  await approve(service, persons.admin, approvalId);
  expect((await activate()).json.error.details).toMatchObject({ approval_id: approvalId });
  await approve(service, persons.auditor, approvalId);
  const active = await activate();
  expect(active.status, active.text).toBe(201);
  expect(active.json.data).toMatchObject({ version: 1, state: 'active', approvers: [persons.admin, persons.auditor] });
  await expect
    .poll(page)
    .toMatchObject({ retention_policy: { policy_id: 'retention.a', name: 'Our policy', version: 1 } });
  const explained = await call('auditor', 'GET', `explain?category=policy_version&record_id=retention@1`);
  expect(explained.json.data).toMatchObject({
    action: 'keep',
    at: null,
    in_use: true,
    because: [
      { decides: true, kind: 'in_use' },
      { kind: 'ceiling', rule_id: 'policy-version', at: null },
    ],
  });
});
