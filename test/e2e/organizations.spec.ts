import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_AUTHENTICATOR } from '../../src/kernel/ports/key-authenticator.js';
import type { KeyAuthenticator } from '../../src/kernel/ports/key-authenticator.js';
import { CREATE_KEY } from '../../src/modules/auth/index.js';
import type { CreateKey } from '../../src/modules/auth/index.js';
import { openHttpApp } from '../../src/process/run-service.js';
import { findOperatorKey } from '../../src/process/find-admin-key.js';
import { callAdmin } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, send } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';
import { withRoom } from '../support/with-room.js';

const PLATFORM = 'forecourt.platform';
const ADDRESS = { lines: ['1 Test Way'], locality: 'Springfield', region: 'IL', postal_code: '62701' };

let service: TestService;
let trail: AuditTrail;
let operator: string;
/** A second process on the same database. */
let otherData: string;
let other: { readonly origin: string; close(): Promise<void> };

beforeAll(async () => {
  service = await startTestService({ demo: false });
  trail = await AuditTrail.open(service.database);
  const parts = {
    createKey: service.parts.get<CreateKey>(CREATE_KEY),
    keys: service.parts.get<KeyAuthenticator>(KEY_AUTHENTICATOR),
  };
  operator = `Bearer ${(await readFile(await findOperatorKey(parts, service.dataDir), 'utf8')).trim()}`;
  otherData = await mkdtemp(join(tmpdir(), 'forecourt-second-'));
  const second = await openHttpApp({ ...service.settings, DATA_DIR: otherData, PUBLIC_URL: service.origin });
  await second.listen(0, '127.0.0.1');
  other = { origin: (await second.getUrl()).replace('[::1]', '127.0.0.1'), close: () => second.close() };
});
afterAll(async () => {
  await other.close();
  await rm(otherData, { recursive: true, force: true });
  await trail.close();
  await service.stop();
});

const call = (
  key: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<WireAnswer> => callAdmin(service, key, method, path, body, headers);

/** A new organization over the admin API, with its administrator's key as a header value. */
async function createOrganization(id: string, more: object = {}): Promise<string> {
  const created = await call(operator, 'POST', 'organizations', {
    organization_id: id,
    name: `Group ${id}`,
    time_zone: 'America/Chicago',
    currency: 'USD',
    country: 'US',
    admin_name: 'Ada Stone',
    ...more,
  });
  expect(created.status, created.text).toBe(201);
  return `Bearer ${(created.json.data as { key: { token: string } }).key.token}`;
}

async function addRooftop(admin: string, id: string): Promise<WireAnswer> {
  const created = await call(admin, 'POST', 'rooftops', {
    rooftop_id: id,
    name: `Store ${id}`,
    address: ADDRESS,
    departments: ['sales'],
  });
  expect(created.status, created.text).toBe(201);
  return created;
}

const refusal = ({ status, json }: WireAnswer): object => ({
  status,
  error: { ...json.error, request_id: undefined, error_id: undefined },
});

describe('An operator', () => {
  it('creates an organization whose first administrator gets a key, shown once', async () => {
    const id = `org.${randomUUID()}`;
    const created = await call(operator, 'POST', 'organizations', {
      organization_id: id,
      name: 'A',
      admin_name: 'Ada',
    });
    expect(created.status, created.text).toBe(201);
    const { key, ...shown } = created.json.data as { key: { key_id: string; token: string } };
    expect(shown).toMatchObject({ organization_id: id, name: 'A', state: 'active', version: 1, country: null });
    expect(created.headers.get('etag')).toBe('"1"');
    const seen = await call(`Bearer ${key.token}`, 'GET', `organizations/${id}`);
    expect(seen.json.data).toEqual(shown);
    expect(JSON.stringify(seen.json)).not.toContain(key.token);
    const own = await trail.ofEvent(created.headers.get('x-request-id'));
    expect(own).toHaveLength(1);
    expect(own[0]).toMatchObject({ organization_id: PLATFORM, operation: 'organizations.create', actor_kind: 'key' });
    const theirs = (await trail.ofOperation('organizations.create')).filter((r) => r.organization_id === id);
    expect(theirs).toHaveLength(1);
    expect(theirs[0]).toMatchObject({ trace_id: own[0]?.trace_id, resource_ids: [id, key.key_id] });
  });

  it('mints an id where none is given', async () => {
    const created = await call(operator, 'POST', 'organizations', { name: 'A', admin_name: 'Ada' });
    expect(created.json.data.organization_id).toMatch(/^org\.[0-9a-z]{26}$/);
  });

  it.each(['forecourt.platform', 'forecourt.x', 'Upper', '', 'a b'])('cannot take the id "%s"', async (id) => {
    const answer = await call(operator, 'POST', 'organizations', { organization_id: id, name: 'A', admin_name: 'Ada' });
    expect(answer.status).toBe(400);
    expect(answer.json.error.details.violations).toEqual([expect.objectContaining({ pointer: '/organization_id' })]);
  });

  it('never takes an id a second time', async () => {
    await createOrganization('org.taken');
    const again = await call(operator, 'POST', 'organizations', {
      organization_id: 'org.taken',
      name: 'B',
      admin_name: 'Bo',
    });
    expect(again.json.error).toMatchObject({
      code: 'invalid_input',
      details: { violations: [{ pointer: '/organization_id', keyword: 'not' }] },
    });
  });

  it('lists organizations by pages, the platform not among them', async () => {
    for (const id of ['org.page-a', 'org.page-b', 'org.page-c']) await createOrganization(id);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: WireAnswer = await call(operator, 'GET', `organizations?limit=2${more}`);
      expect(page.status, page.text).toBe(200);
      const { organizations, next_cursor } = page.json.data as {
        organizations: { organization_id: string }[];
        next_cursor?: string;
      };
      ids.push(...organizations.map((o) => o.organization_id));
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(ids).toEqual(expect.arrayContaining(['org.page-a', 'org.page-b', 'org.page-c']));
    expect(ids).toEqual(ids.toSorted());
    expect(ids).not.toContain(PLATFORM);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is nobody inside an organization, and staff of one are nobody on the platform', async () => {
    const admin = await createOrganization('org.sides');
    for (const path of ['feeds', 'rooftops', 'grants']) {
      const answer = await call(operator, 'GET', path);
      expect({ path, ...refusal(answer) }).toMatchObject({ status: 403, error: { code: 'forbidden_role' } });
    }
    for (const [method, path] of [
      ['POST', 'organizations'],
      ['GET', 'organizations'],
      ['POST', 'organizations/org.sides/suspend'],
      ['POST', 'organizations/org.sides/offboard'],
    ] as const) {
      const answer = await call(admin, method, path, method === 'POST' ? {} : undefined);
      expect({ path, ...refusal(answer) }).toMatchObject({ status: 403, error: { code: 'forbidden_role' } });
    }
    const absent = refusal(await call(admin, 'GET', 'organizations/org.absent'));
    for (const id of ['org.taken', PLATFORM]) {
      expect(refusal(await call(admin, 'GET', `organizations/${id}`))).toEqual(absent);
      const change = await call(admin, 'PATCH', `organizations/${id}`, { name: 'Mine' }, { 'if-match': '"1"' });
      expect(refusal(change)).toEqual(absent);
    }
  });
});

describe('The administrator of an organization', () => {
  it('changes what it says of itself under If-Match', async () => {
    const admin = await createOrganization('org.change');
    const path = 'organizations/org.change';
    expect((await call(admin, 'PATCH', path, { name: 'New' })).json.error.details.reason).toBe('precondition_required');
    const stale = await call(admin, 'PATCH', path, { name: 'New' }, { 'if-match': '"7"' });
    expect(stale.json.error.details.reason).toBe('precondition_failed');
    const changed = await call(admin, 'PATCH', path, { name: 'New', country: null }, { 'if-match': '"1"' });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.headers.get('etag')).toBe('"2"');
    expect(changed.json.data).toMatchObject({ name: 'New', country: null, currency: 'USD', version: 2 });
    for (const body of [{ state: 'offboarded' }, { organization_id: 'x' }, { version: 9 }, { name: null }])
      expect((await call(admin, 'PATCH', path, body, { 'if-match': '"2"' })).status).toBe(400);
  });

  it('adds rooftops, which take what they do not say from the organization, and changes them', async () => {
    const admin = await createOrganization('org.stores');
    const created = await addRooftop(admin, 'roof.one');
    expect(created.json.data).toMatchObject({
      rooftop_id: 'roof.one',
      time_zone: 'America/Chicago',
      currency: 'USD',
      address: { ...ADDRESS, country: 'US' },
      version: 1,
    });
    const shown = await call(admin, 'GET', 'rooftops/roof.one');
    expect(shown.json.data).toEqual(created.json.data);
    const changed = await call(admin, 'PATCH', 'rooftops/roof.one', { name: 'Store One' }, { 'if-match': '"1"' });
    expect(changed.json.data).toMatchObject({ name: 'Store One', version: 2, address: { locality: 'Springfield' } });
    for (const body of [
      { currency: 'EUR' },
      { name: null },
      { rooftop_id: 'roof.x' },
      { id_seed: 'x' },
      { name: 'a\nb' },
    ])
      expect((await call(admin, 'PATCH', 'rooftops/roof.one', body, { 'if-match': '"2"' })).status).toBe(400);
    expect((await call(admin, 'PATCH', 'rooftops/roof.one', { name: 'x' })).json.error.details.reason).toBe(
      'precondition_required',
    );
    await addRooftop(admin, 'roof.two');
    const page = await call(admin, 'GET', 'rooftops?limit=1');
    expect(page.json.data).toMatchObject({ rooftops: [{ rooftop_id: 'roof.one' }] });
    const next = encodeURIComponent((page.json.data as { next_cursor: string }).next_cursor);
    const rest = await call(admin, 'GET', `rooftops?limit=1&cursor=${next}`);
    expect(rest.json.data).toMatchObject({ rooftops: [{ rooftop_id: 'roof.two' }] });
    const again = await call(admin, 'POST', 'rooftops', {
      rooftop_id: 'roof.two',
      name: 'x',
      address: ADDRESS,
      departments: ['sales'],
    });
    expect(again.json.error.details.violations).toEqual([expect.objectContaining({ pointer: '/rooftop_id' })]);
  });

  it('must say what the organization leaves open', async () => {
    const admin = await createOrganization('org.bare', { time_zone: null, currency: null, country: null });
    const answer = await call(admin, 'POST', 'rooftops', { name: 'x', address: ADDRESS, departments: ['sales'] });
    expect(answer.status).toBe(400);
    expect((answer.json.error.details.violations as { pointer: string }[]).map((v) => v.pointer)).toEqual([
      '/time_zone',
      '/currency',
      '/address/country',
    ]);
  });

  it('has a rooftop on every process within two seconds', async () => {
    const admin = await createOrganization('org.fresh');
    const ask = (origin: string): Promise<WireAnswer> =>
      callTool(`${origin}/organizations/org.fresh/mcp`, 'dealeragent.dealer.get', { organization_id: 'org.fresh' });
    for (const origin of [service.origin, other.origin]) {
      const empty = await ask(origin);
      expect(empty.json.result.isError, empty.text).toBe(true);
      expect(empty.text).not.toContain('internal');
    }
    await addRooftop(admin, 'roof.fresh');
    const since = Date.now();
    for (const origin of [service.origin, other.origin])
      await expect
        .poll(async () => (await ask(origin)).text, { timeout: 10_000, interval: 100 })
        .toContain('Store roof.fresh');
    expect(Date.now() - since).toBeLessThan(withRoom(2000));
  });
});

describe('An organization that leaves', () => {
  const ID = 'org.leaving';
  const state = (to: string): Promise<WireAnswer> => call(operator, 'POST', `organizations/${ID}/${to}`, {});
  const ask = (origin: string, id: string, bearer?: string): Promise<WireAnswer> =>
    callTool(
      `${origin}/organizations/${id}/mcp`,
      'dealeragent.dealer.get',
      { organization_id: id },
      ...(bearer === undefined ? [] : [{ authorization: bearer }]),
    );
  /** What an answer says, without what is its own: ids and times of the request. */
  const said = ({ status, text }: WireAnswer): string =>
    `${status} ${text.replace(/(?:req|trc|err)_[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"hub":[0-9.]+/g, '…')}`;
  let admin: string;
  let agent: string;

  beforeAll(async () => {
    admin = await createOrganization(ID);
    await addRooftop(admin, 'roof.leaving');
    const grant = await call(admin, 'POST', 'grants', {
      subject: 'agent:buyer-assistant',
      rooftop_ids: ['roof.leaving'],
      profiles: ['dealeragent.discovery/0.1'],
      scopes: ['dealeragent:inventory:read'],
      purposes: ['vehicle_shopping'],
      expires_at: '2099-01-01T00:00:00Z',
    });
    expect(grant.status, grant.text).toBe(201);
    agent = `Bearer ${(grant.json.data as { key: { token: string } }).key.token}`;
  });

  it('is served before', async () => {
    for (const origin of [service.origin, other.origin])
      await expect.poll(async () => (await ask(origin, ID)).text, { timeout: 10_000 }).toContain('Store roof.leaving');
    expect((await ask(service.origin, ID, agent)).text).toContain('Store roof.leaving');
  });

  /** On every process: public answers, agents and staff find what they would find of an organization that never was. */
  async function expectGone(): Promise<void> {
    for (const origin of [service.origin, other.origin]) {
      const absent = said(await ask(origin, 'org.nowhere'));
      await expect.poll(async () => said(await ask(origin, ID)), { timeout: 10_000, interval: 100 }).toBe(absent);
      for (const path of ['inventory.csv', '.well-known/dealer-agent.json'])
        expect(said(await getText(`${origin}/organizations/${ID}/${path}`)), path).toBe(
          said(await getText(`${origin}/organizations/org.nowhere/${path}`)),
        );
      await expect.poll(async () => (await ask(origin, ID, agent)).status, { timeout: 10_000 }).toBe(401);
      await expect
        .poll(async () => (await callAdmin({ origin }, admin, 'GET', 'rooftops')).status, { timeout: 10_000 })
        .toBe(401);
    }
  }

  it('is not off-boarded by a slip: suspension comes first', async () => {
    expect((await state('offboard')).json.error.code).toBe('invalid_input');
    expect((await state('resume')).status).toBe(400);
  });

  it('looks like one that does not exist while it is suspended, on every process', async () => {
    expect((await state('suspend')).json.data).toMatchObject({ state: 'suspended' });
    await expectGone();
    const seen = await call(operator, 'GET', `organizations/${ID}`);
    expect(seen.json.data).toMatchObject({ organization_id: ID, state: 'suspended' });
  });

  it('comes back from suspension as it was', async () => {
    expect((await state('resume')).json.data).toMatchObject({ state: 'active' });
    for (const origin of [service.origin, other.origin]) {
      await expect
        .poll(async () => (await ask(origin, ID, agent)).text, { timeout: 10_000 })
        .toContain('Store roof.leaving');
      expect((await callAdmin({ origin }, admin, 'GET', 'rooftops')).status).toBe(200);
    }
  });

  it('never comes back once it is off-boarded; its id is never used again, and its records stay', async () => {
    await state('suspend');
    expect((await state('offboard')).json.data).toMatchObject({ state: 'offboarded' });
    await expectGone();
    for (const to of ['resume', 'suspend', 'offboard']) expect((await state(to)).status).toBe(400);
    const again = await call(operator, 'POST', 'organizations', { organization_id: ID, name: 'x', admin_name: 'x' });
    expect(again.json.error.details.violations).toEqual([expect.objectContaining({ pointer: '/organization_id' })]);
    const operations = (await trail.ofOperation('organizations.offboard'))
      .filter((r) => r.outcome === 'succeeded')
      .map((r) => r.organization_id);
    expect(operations.toSorted()).toEqual([PLATFORM, ID].toSorted());
    expect((await trail.ofOperation('grants.create')).some((r) => r.organization_id === ID)).toBe(true);
  });
});

const getText = async (url: string): Promise<WireAnswer> => send(url, {});
