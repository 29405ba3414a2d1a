import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/limits.js';
import { STAFF_SIGN_IN, type StaffSignIn } from '../../src/kernel/ports/staff-sign-in.js';
import { IssueStaffCode, ManageStaff } from '../../src/modules/staff/index.js';
import { openHttpApp } from '../../src/process/run-service.js';
import { partsOf } from '../../src/process/service-parts.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPerson, addPersons, operatorOrigin, type Persons, personBearer } from '../support/staff.js';
import { withRoom } from '../support/with-room.js';

let service: TestService;
let second: Awaited<ReturnType<typeof openHttpApp>>;
let trail: AuditTrail;
let persons: Persons;
let adminKey: string;

const signIn = (personId: string, code: string, network = 'net.test'): ReturnType<StaffSignIn['signIn']> =>
  service.parts.get<StaffSignIn>(STAFF_SIGN_IN).signIn(personId, code, network);
const issue = async (personId: string): Promise<string> =>
  (await service.parts.get(IssueStaffCode).run(service.organizationId, personId, operatorOrigin())).code;
const call = async (personId: string, method: string, path: string, body?: unknown, headers = {}) =>
  callAdmin(service, await personBearer(service, personId), method, path, body, headers);

beforeAll(async () => {
  service = await startTestService({ demo: false });
  second = await openHttpApp(service.settings);
  trail = await AuditTrail.open(service.database);
  persons = await addPersons(service, service.organizationId);
  adminKey = `Bearer ${await createKey(service, service.organizationId, 'admin')}`;
});

afterAll(async () => {
  await trail.close();
  await second.close();
  await service.stop();
});

describe('A one-time code', () => {
  it('signs its person in once, however it is typed', async () => {
    const code = await issue(persons.compliance);
    expect(code).toMatch(/^[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}$/);
    const person = await signIn(persons.compliance, ` ${code.toUpperCase().replaceAll('-', ' ')} `);
    expect(person).toMatchObject({ personId: persons.compliance, role: 'compliance' });
    expect(person?.organizationId).toBe(service.organizationId);
    expect(await signIn(persons.compliance, code)).toBeUndefined();
  });

  it('is nobody else’s, and what is stored of it is not the code', async () => {
    const code = await issue(persons.auditor);
    expect(await signIn(persons.compliance, code)).toBeUndefined();
    expect(await signIn(persons.auditor, code)).toBeDefined();
    expect(await trail.text()).not.toContain(code);
  });

  it('is spent by one of two processes at the same moment', async () => {
    const other = partsOf(second).get<StaffSignIn>(STAFF_SIGN_IN);
    for (let round = 0; round < 5; round++) {
      const code = await issue(persons.auditor);
      const tries = [0, 1, 2, 3].map((i) =>
        i % 2 === 0
          ? signIn(persons.auditor, code, `net.${round}`)
          : other.signIn(persons.auditor, code, `net.${round}`),
      );
      expect((await Promise.all(tries)).filter((person) => person !== undefined)).toHaveLength(1);
    }
  });

  it('is refused after too many wrong ones, also when it is right, from whatever network they come', async () => {
    const personId = await addPerson(service, service.organizationId, 'auditor');
    const code = await issue(personId);
    const wrong = Array.from({ length: LIMITS.staffCodeAttempts.value }, (_, i) =>
      signIn(personId, 'aaaa-aaaa-aaaa', `net.${i}`),
    );
    expect((await Promise.all(wrong)).filter((person) => person !== undefined)).toEqual([]);
    expect(await signIn(personId, code, 'net.fresh')).toBeUndefined();
    const reasons = (await trail.ofOperation('staff.sign_in')).map((row) => row.reason);
    expect(reasons).toContain('too_many_attempts');
  });

  it('is not tried at all for a network that tried too often', async () => {
    const code = await issue(persons.auditor);
    const network = 'net.flood';
    const flood = Array.from({ length: LIMITS.staffSignInsPerMinute.value }, () =>
      signIn('staff.unknown', code, network),
    );
    await Promise.all(flood);
    expect(await signIn(persons.auditor, code, network)).toBeUndefined();
    expect(await signIn(persons.auditor, code, 'net.other')).toBeDefined();
  });

  it('opens nothing for a disabled or unknown person, and the trail says why', async () => {
    const personId = await addPerson(service, service.organizationId, 'admin');
    const code = await issue(personId);
    const changed = { disabled: true, expectedVersions: [1] };
    await service.parts.get(ManageStaff).change(service.organizationId, personId, changed, operatorOrigin());
    expect(await signIn(personId, code)).toBeUndefined();
    expect(await signIn('staff.nobody-here', code)).toBeUndefined();
    const refusals = (await trail.ofOperation('staff.sign_in')).filter((row) => row.decision === 'deny');
    expect(refusals.map((row) => row.reason)).toEqual(expect.arrayContaining(['person_disabled', 'person_unknown']));
    expect(refusals.every((row) => row.actor === null)).toBe(true);
  });

  it('ends by itself', async () => {
    const personId = await addPerson(service, service.organizationId, 'admin');
    const code = await issue(personId);
    const later = Date.now() + LIMITS.staffCodeSeconds.value * 1000 + 1;
    const clock = { now: () => later };
    const ahead = await openHttpApp(service.settings, { clock });
    expect(await partsOf(ahead).get<StaffSignIn>(STAFF_SIGN_IN).signIn(personId, code)).toBeUndefined();
    await ahead.close();
    expect(await signIn(personId, code)).toBeDefined();
  });
});

describe('The admin API', () => {
  it('takes the access token of a person, and names the person in the trail', async () => {
    const { status, headers } = await call(persons.admin, 'GET', 'staff');
    expect(status).toBe(200);
    const [record] = await trail.ofEvent(headers.get('x-request-id'));
    expect(record).toMatchObject({ operation: 'staff.list', actor_kind: 'person', actor: persons.admin });
  });

  it('knows roles of persons like those of keys', async () => {
    expect((await call(persons.auditor, 'GET', 'staff')).status).toBe(403);
    expect((await call(persons.auditor, 'GET', 'approvals')).status).toBe(200);
  });

  it.each<[string, Parameters<typeof personBearer>[2], string]>([
    ['another audience', { claims: { aud: 'https://other.example/admin' } }, 'token_audience'],
    ['another issuer', { claims: { iss: 'https://other.example' } }, 'token_issuer'],
    ['an end in the past', { claims: { iat: 1_000_000, exp: 1_000_300 } }, 'token_expired'],
    ['nobody', { claims: { sub: 'staff.nobody-here' } }, 'person_unknown'],
    ['a subject that no id looks like', { claims: { sub: 'x\u0000y' } }, 'person_unknown'],
    ['the program itself', { claims: { sub: 'client.test' } }, 'token_of_program'],
  ])('refuses a token for %s, and only the trail says why', async (_, options, reason) => {
    const bearer = await personBearer(service, persons.admin, options);
    const { status, json, headers } = await callAdmin(service, bearer, 'GET', 'staff');
    expect(status).toBe(401);
    expect(json.error).toMatchObject({ code: 'unauthorized', message: 'The presented credential is not valid.' });
    const [record] = await trail.ofEvent(headers.get('x-request-id'));
    expect(record).toMatchObject({ decision: 'deny', reason, actor: null });
  });

  it.each(['Bearer nonsense', 'Bearer a.b.c', 'Basic abc', 'Bearer fck_nonsense', 'DPoP a.b.c'])(
    'refuses %s',
    async (header) => {
      expect((await callAdmin(service, header, 'GET', 'staff')).status).toBe(401);
    },
  );

  it('lets a disabled person in no more within two seconds, on every process', async () => {
    const personId = await addPerson(service, service.organizationId, 'admin');
    expect((await call(personId, 'GET', 'staff')).status).toBe(200);
    const change = await call(persons.admin, 'PATCH', `staff/${personId}`, { disabled: true }, { 'if-match': '"1"' });
    expect(change.status).toBe(200);
    await expect.poll(async () => (await call(personId, 'GET', 'staff')).status, { timeout: withRoom(2000) }).toBe(401);
  });

  it('adds, changes and disables persons for administrators who are persons', async () => {
    const created = await call(persons.admin, 'POST', 'staff', { name: 'Robin', role: 'compliance' });
    expect(created.status).toBe(201);
    const { person_id: id } = created.json.data as { person_id: string };
    const path = `staff/${id}`;
    expect((await call(persons.admin, 'PATCH', path, { role: 'auditor' })).json.error).toMatchObject({
      details: { reason: 'precondition_required' },
    });
    const changed = await call(persons.admin, 'PATCH', path, { role: 'auditor' }, { 'if-match': '"1"' });
    expect(changed.json.data).toMatchObject({ role: 'auditor', version: 2 });
    expect(changed.headers.get('etag')).toBe('"2"');
    const lost = await call(persons.admin, 'PATCH', path, { role: 'admin' }, { 'if-match': '"1"' });
    expect(lost.json.error).toMatchObject({ details: { reason: 'precondition_failed' } });
    const code = await call(persons.admin, 'POST', `${path}/codes`);
    const { secret } = code.json.data as { secret: string };
    expect(await signIn(id, secret)).toMatchObject({ personId: id, role: 'auditor' });
    expect(await trail.ofEvent(changed.headers.get('x-request-id'))).toHaveLength(1);
  });

  it('pages through persons by id', async () => {
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { json } = await call(persons.admin, 'GET', `staff?limit=2${cursor}`);
      const page = json.data as { persons: { person_id: string }[]; next_cursor: string | null };
      seen.push(...page.persons.map((person) => person.person_id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual([...new Set(seen)].toSorted());
    expect(seen).toEqual(expect.arrayContaining(Object.values(persons)));
  });

  it('lets nobody change their own role or disable themselves, and keys change no person', async () => {
    for (const body of [{ role: 'auditor' }, { disabled: false }, { name: 'me', role: 'admin' }]) {
      const own = await call(persons.admin, 'PATCH', `staff/${persons.admin}`, body, { 'if-match': '"1"' });
      expect(own.status).toBe(403);
    }
    const byKey = await callAdmin(service, adminKey, 'POST', 'staff', { name: 'Puppet', role: 'admin' });
    expect(byKey.json.error).toMatchObject({ code: 'forbidden_role', details: { reason: 'person_required' } });
    expect((await callAdmin(service, adminKey, 'POST', `staff/${persons.auditor}/codes`)).status).toBe(403);
    expect((await callAdmin(service, adminKey, 'GET', 'staff')).status).toBe(200);
  });

  it('takes no member that is not its own', async () => {
    const forbidden = { person_id: 'staff.mine', version: 9, disabled_at: null, attempts: 0, organization_id: 'other' };
    for (const [member, value] of Object.entries(forbidden)) {
      const body = { name: 'Robin', role: 'auditor', [member]: value };
      expect((await call(persons.admin, 'POST', 'staff', body)).status, member).toBe(400);
      const change = await call(persons.admin, 'PATCH', `staff/${persons.auditor}`, body, { 'if-match': '"1"' });
      expect(change.status, member).toBe(400);
    }
  });
});
