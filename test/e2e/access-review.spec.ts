import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAdmin, createKey } from '../support/admin-client.js';
import type { WireAnswer } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';
import { addPersons, personBearer } from '../support/staff.js';

interface Entry {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
  readonly holder: string;
  readonly end_reason: string | null;
  readonly unknown: readonly string[];
}

let service: TestService;
let admin: string;
const times: Record<string, string> = {};
const ids: Record<string, string> = {};

const call = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<WireAnswer> => callAdmin(service, admin, method, path, body, headers);

const GRANT = {
  subject: 'agent:buyer-assistant',
  rooftop_ids: ['roof.downtown'],
  profiles: ['dealeragent.discovery/0.1'],
  scopes: ['dealeragent:inventory:read'],
  purposes: ['vehicle_shopping'],
  expires_at: '2099-01-01T00:00:00Z',
};

const CLIENT = { name: 'Buyer', issuer: 'https://idp.test', client_id: 'buyer' };

/** A moment between two changes. */
async function mark(name: string): Promise<void> {
  await new Promise((done) => setTimeout(done, 1100)); // times are shown to the second
  times[name] = new Date().toISOString();
  await new Promise((done) => setTimeout(done, 1100));
}

beforeAll(async () => {
  service = await startTestService({ demo: false });
  admin = `Bearer ${await service.adminToken()}`;
  await mark('before');
  const key = await call('POST', 'keys', { name: 'Ada', role: 'auditor', networks: ['10.0.0.0/8'] });
  expect(key.status, key.text).toBe(201);
  ids['key'] = key.json.data.key_id as string;
  const grant = await call('POST', 'grants', GRANT);
  ids['grant'] = grant.json.data.grant_id as string;
  const client = await call('POST', 'agent-clients', CLIENT);
  ids['client'] = client.json.data.agent_client_id as string;
  const persons = await addPersons(service, service.organizationId);
  ids['person'] = persons.auditor;
  await mark('issued');
  const moved = await call('PATCH', `keys/${ids['key']}`, { networks: ['192.0.2.0/24'] }, { 'if-match': '"1"' });
  expect(moved.status, moved.text).toBe(200);
  const revised = await call(
    'POST',
    `grants/${ids['grant']}/versions`,
    { ...GRANT, rooftop_ids: ['roof.lakeside'] },
    { 'if-match': '"1"' },
  );
  expect(revised.status, revised.text).toBe(201);
  const carried = { grant_id: ids['grant'] };
  const tied = await call('PUT', `agent-clients/${ids['client']}/grant`, carried, { 'if-match': '"1"' });
  expect(tied.status, tied.text).toBe(200);
  const promoted = await callAdmin(
    service,
    await personBearer(service, persons.admin),
    'PATCH',
    `staff/${ids['person']}`,
    { role: 'compliance' },
    { 'if-match': '"1"' },
  );
  expect(promoted.status, promoted.text).toBe(200);
  await mark('changed');
  await call('POST', `keys/${ids['key']}/revoke`, {});
  await call('POST', `grants/${ids['grant']}/revoke`, {});
  await mark('ended');
});
afterAll(async () => {
  await service.stop();
});

async function reviewAt(name: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | null = null;
  do {
    const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: WireAnswer = await call('GET', `access-review?limit=2&at=${times[name]}${more}`);
    expect(page.status, page.text).toBe(200);
    entries.push(...(page.json.data.entries as Entry[]));
    cursor = (page.json.data.next_cursor as string | undefined) ?? null;
  } while (cursor !== null);
  return entries;
}

const of = (entries: readonly Entry[], id: string | undefined): readonly Entry[] => entries.filter((e) => e.id === id);

describe('The access review of a date', () => {
  it('shows what counted then, in the version of then, and how it has ended since', async () => {
    const [before, issued, changed, ended] = await Promise.all(['before', 'issued', 'changed', 'ended'].map(reviewAt));
    for (const id of [ids['key'], ids['grant']]) {
      expect(of(before ?? [], id)).toEqual([]);
      expect(of(issued ?? [], id)).toEqual([expect.objectContaining({ version: 1, end_reason: 'superseded' })]);
      expect(of(changed ?? [], id)).toEqual([expect.objectContaining({ version: 2, end_reason: 'revoked' })]);
      expect(of(ended ?? [], id)).toEqual([]);
    }
    expect(of(issued ?? [], ids['key'])[0]).toMatchObject({ networks: ['10.0.0.0/8'], role: 'auditor' });
    expect(of(issued ?? [], ids['grant'])[0]).toMatchObject({ rooftops: ['roof.downtown'] });
    expect(of(changed ?? [], ids['grant'])[0]).toMatchObject({ rooftops: ['roof.lakeside'] });
  });

  it('shows the role that a person had then, and the grant that a client carried', async () => {
    const [issued, changed] = await Promise.all(['issued', 'changed'].map(reviewAt));
    expect(of(issued ?? [], ids['person'])).toEqual([
      expect.objectContaining({ kind: 'person', role: 'auditor', end_reason: 'superseded', unknown: [] }),
    ]);
    expect(of(changed ?? [], ids['person'])).toEqual([
      expect.objectContaining({ role: 'compliance', end_reason: null }),
    ]);
    expect(of(issued ?? [], ids['client'])).toEqual([expect.objectContaining({ rests_on: null, unknown: [] })]);
    expect(of(changed ?? [], ids['client'])).toEqual([expect.objectContaining({ rests_on: ids['grant'] })]);
  });

  it('comes as CSV', async () => {
    const csv = await call('GET', `access-review/csv?at=${times['issued']}`);
    expect(csv.status, csv.text).toBe(200);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const line = csv.text.split('\r\n').find((l) => l.includes(ids['key'] ?? 'no key'));
    expect(line).toContain(',Ada,auditor,');
  });

  it('belongs to staff of the organization, auditors included, and to nobody else', async () => {
    const path = `access-review?at=${times['issued']}`;
    for (const [role, status] of [
      ['auditor', 200],
      ['compliance', 200],
      ['app', 403],
    ] as const) {
      const key = `Bearer ${await createKey(service, service.organizationId, role)}`;
      expect((await callAdmin(service, key, 'GET', path)).status).toBe(status);
    }
    expect((await call('GET', 'access-review?at=yesterday')).status).toBe(400);
    expect((await call('GET', 'access-review')).status).toBe(400);
  });
});
