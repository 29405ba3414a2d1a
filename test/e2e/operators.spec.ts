import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { PLATFORM_TENANT } from '../../src/kernel/ids.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons, personBearer } from '../support/staff.js';

const GROUP = 'org.group';

let service: TestService;
let trail: AuditTrail;
let operator: string;
let operators: Persons;
let persons: Persons;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  trail = await AuditTrail.open(service.database);
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: GROUP, name: 'Group' });
  operator = `Bearer ${await createKey(service, PLATFORM_TENANT, 'admin')}`;
  operators = await addPersons(service, PLATFORM_TENANT);
  persons = await addPersons(service, GROUP);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

const as = async (personId: string, method: string, path: string, body?: unknown): Promise<WireAnswer> =>
  callAdmin(service, await personBearer(service, personId), method, path, body);

describe('Operators of the platform', () => {
  it('see and keep their own persons, and nobody of an organization', async () => {
    const ids = async (answer: Promise<WireAnswer>): Promise<readonly string[]> => {
      const { status, json, text } = await answer;
      expect(status, text).toBe(200);
      return (json.data.persons as { person_id: string }[]).map((person) => person.person_id);
    };
    const own = await ids(callAdmin(service, operator, 'GET', 'staff'));
    expect(own.toSorted()).toEqual(Object.values(operators).toSorted());
    expect(await ids(as(persons.admin, 'GET', 'staff'))).not.toEqual(expect.arrayContaining([operators.admin]));
    const added = await as(operators.admin, 'POST', 'staff', { name: 'Cy Young', role: 'auditor' });
    expect(added.status, added.text).toBe(201);
    const { person_id: personId } = added.json.data as { person_id: string };
    expect((await as(operators.admin, 'POST', `staff/${personId}/codes`)).status).toBe(201);
    const [record] = await trail.ofEvent(added.headers.get('x-request-id'));
    expect(record).toMatchObject({
      organization_id: PLATFORM_TENANT,
      operation: 'staff.create',
      actor: operators.admin,
    });
  });

  it('read the trail of the platform, in which is what they did, and not that of an organization', async () => {
    const named = { organization_id: 'org.traced', name: 'Traced', admin_name: 'Bo' };
    const created = await callAdmin(service, operator, 'POST', 'organizations', named);
    expect(created.status, created.text).toBe(201);
    await as(persons.admin, 'GET', 'grants');
    const found = await as(operators.auditor, 'GET', 'audit/records?limit=100');
    expect(found.status, found.text).toBe(200);
    const records = found.json.data.records as { event_id: string; operation: string }[];
    expect(records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          event_id: created.headers.get('x-request-id'),
          operation: 'organizations.create',
        }),
      ]),
    );
    expect(records.map(({ operation }) => operation)).not.toContain('grants.list');
    const proof = `audit/records/${created.headers.get('x-request-id') ?? ''}/proof`;
    const proven = async (): Promise<number> => (await as(operators.auditor, 'GET', proof)).status;
    await expect.poll(proven, { timeout: 15_000, interval: 300 }).toBe(200);
    expect((await as(persons.auditor, 'GET', proof)).status).toBe(400);
  });

  it('are nobody in an organization, and its persons are nobody among them', async () => {
    const of = ({ status, json }: WireAnswer): unknown => [status, json.error?.details?.reason];
    for (const [asker, asked] of [
      [operators.admin, persons.auditor],
      [persons.admin, operators.auditor],
    ] as const) {
      expect(of(await as(asker, 'GET', `staff/${asked}`))).toEqual([400, 'not_found']);
      expect(of(await as(asker, 'POST', `staff/${asked}/codes`))).toEqual([400, 'not_found']);
    }
    expect((await as(operators.admin, 'GET', 'grants')).status).toBe(403);
    expect((await as(persons.admin, 'GET', 'organizations')).status).toBe(403);
  });
});

describe('Persons of an organization that is suspended', () => {
  const looks = async (personId: string): Promise<number> => (await as(personId, 'GET', 'openapi.json')).status;
  const soon = { timeout: 20_000, interval: 100 };

  it('are out in every role within seconds, operators are not, and come back when it does', async () => {
    for (const personId of Object.values(persons)) expect(await looks(personId)).toBe(200);
    expect((await callAdmin(service, operator, 'POST', `organizations/${GROUP}/suspend`)).status).toBe(200);
    for (const personId of Object.values(persons)) await expect.poll(() => looks(personId), soon).toBe(401);
    const refused = await as(persons.admin, 'POST', 'grants', {});
    expect(refused).toMatchObject({ status: 401, json: { error: { code: 'unauthorized' } } });
    expect(refused.text).not.toContain(GROUP);
    const [record] = await trail.ofEvent(refused.headers.get('x-request-id'));
    expect(record).toMatchObject({ decision: 'deny', reason: 'organization_not_served' });
    expect(await looks(operators.admin)).toBe(200);
    expect((await callAdmin(service, operator, 'POST', `organizations/${GROUP}/resume`)).status).toBe(200);
    for (const personId of Object.values(persons)) await expect.poll(() => looks(personId), soon).toBe(200);
  });
});
