import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_TENANT } from '../../src/kernel/ids.js';
import { BUILT_IN_POLICY } from '../../src/modules/tenancy/index.js';
import type { ApiRoute } from '../architecture/api-routes.js';
import { readApiRoutes } from '../architecture/api-routes.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { CORE_PROFILES, READ_SCOPES } from '../support/agents.js';
import { approve } from '../support/dealer-policy.js';
import { dapCsv } from '../fixtures/feeds/dap-row.js';
import { csvOf, range, vinOf } from '../support/feed-csv.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons, personBearer } from '../support/staff.js';

/** Every change of the admin API, made once with success: what its audit record says of before and after. */

const STORE = 'roof.downtown';
const FEED = 'feed.hashes';
/** An event is recorded by its kind, the end of a run by how it ended. */
const RECORDED_AS: Readonly<Record<string, string>> = {
  'unit_events.apply': 'unit_events.sold',
  'retention.runs.cancel': 'retention.runs.cancelled',
};

let service: TestService;
let database: pg.Client;
let routes: readonly ApiRoute[];
let persons: Persons;
let operator: string;
let buyer: string;
const made: Record<string, WireAnswer> = {};

beforeAll(async () => {
  service = await startTestService({ demo: false });
  database = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  database.on('error', () => undefined); // it is dropped after the test
  await database.connect();
  routes = await readApiRoutes();
  persons = await addPersons(service, service.organizationId);
  operator = `Bearer ${await createKey(service, PLATFORM_TENANT, 'admin')}`;
});
afterAll(async () => {
  await database.end();
  await service.stop();
});

type Caller = keyof Persons | 'operator' | 'buyer';
const bearerOf = (caller: Caller): Promise<string> | string =>
  caller === 'operator' ? operator : caller === 'buyer' ? buyer : personBearer(service, persons[caller]);

async function change(operation: string, path: string, body?: unknown, by: Caller = 'admin'): Promise<WireAnswer> {
  const route = routes.find((r) => r.operation?.name === operation);
  expect(route, operation).toBeDefined();
  const method = route!.route.split(' ', 1)[0]!;
  const bearer = await bearerOf(by);
  const headers = route!.headers.includes('if-match') ? { 'if-match': await etagOf(path, bearer) } : {};
  let answer = await callAdmin(service, bearer, method, path, body, headers);
  // A machine that is busy with other things may refuse a call; it is made again.
  for (let tries = 0; answer.text.includes('at capacity') && tries < 10; tries++) {
    await new Promise((done) => setTimeout(done, 1000));
    answer = await callAdmin(service, bearer, method, path, body, headers);
  }
  expect([200, 201, 202], `${operation}: ${answer.text}`).toContain(answer.status);
  made[operation] = answer;
  return answer;
}

/** What a change is made from: the tag of its resource, which its own address or the one above shows. */
async function etagOf(path: string, bearer: string): Promise<string> {
  const shown = /republish$/.test(path) ? ['policies/current'] : [path, path.slice(0, path.lastIndexOf('/'))];
  for (const address of shown) {
    const etag = (await callAdmin(service, bearer, 'GET', address)).headers.get('etag');
    if (etag !== null) return etag;
  }
  throw new Error(`nothing shows the version of ${path}`);
}

const id = (answer: WireAnswer, name: string): string => (answer.json.data as Record<string, string>)[name] ?? '';
const approvalOf = (answer: WireAnswer): string => (answer.json.error.details as { approval_id: string }).approval_id;
const GRANT = {
  ...{ subject: 'agent:hashes', rooftop_ids: [STORE], profiles: CORE_PROFILES, scopes: READ_SCOPES },
  ...{ purposes: ['vehicle_shopping'], expires_at: '2099-01-01T00:00:00Z' },
};
const ROOFTOP = {
  ...{ rooftop_id: 'roof.new', name: 'New', time_zone: 'America/Chicago', currency: 'USD', departments: ['sales'] },
  address: { lines: ['1 Main Street'], locality: 'Springfield', region: 'IL', postal_code: '62701', country: 'US' },
};
const policy = (withheld: readonly string[]): object => ({
  document: { ...BUILT_IN_POLICY, withheld_fields: withheld },
  reason: 'Test',
});

async function organizations(): Promise<void> {
  const named = { organization_id: 'org.buyer', name: 'Buyer', admin_name: 'Bo' };
  const home = { time_zone: 'America/Chicago', currency: 'USD', country: 'US' };
  const created = await change('organizations.create', 'organizations', { ...named, ...home }, 'operator');
  buyer = `Bearer ${(created.json.data as { key: { token: string } }).key.token}`;
  await change('organizations.change', 'organizations/org.buyer', { name: 'The Buyer' }, 'buyer');
  await change('rooftops.create', 'rooftops', ROOFTOP);
  await change('rooftops.change', 'rooftops/roof.new', { name: 'Newer' });
  const { settings } = (await callAdmin(service, await bearerOf('admin'), 'GET', `rooftops/${STORE}/settings`)).json
    .data as { settings: object };
  await change('rooftops.change_settings', `rooftops/${STORE}/settings`, { settings, reason: 'Test' });
  const offer = async (): Promise<string> => {
    const body = { rooftop_id: 'roof.new', to_organization_id: 'org.buyer' };
    return id(await change('rooftop_moves.offer', 'rooftop-moves', body), 'move_id');
  };
  await change('rooftop_moves.withdraw', `rooftop-moves/${await offer()}/withdraw`);
  const moveId = await offer();
  const half = { move_id: moveId, rooftop_id: 'roof.new', from_organization_id: service.organizationId };
  await change('rooftop_moves.accept', 'rooftop-moves/acceptances', half, 'buyer');
  await change('rooftop_moves.carry_out', `rooftop-moves/${moveId}/carry-out`, undefined, 'operator');
  for (const [operation, step] of [
    ['organizations.suspend', 'suspend'],
    ['organizations.resume', 'resume'],
    ['organizations.suspend', 'suspend'],
    ['organizations.offboard', 'offboard'],
  ] as const)
    await change(operation, `organizations/org.buyer/${step}`, undefined, 'operator');
}

async function access(): Promise<void> {
  const grantId = id(await change('grants.create', 'grants', GRANT), 'grant_id');
  await change('grants.revise', `grants/${grantId}/versions`, { ...GRANT, purposes: [] });
  const client = { issuer: `${service.origin}/oauth`, client_id: 'hashes', name: 'Test' };
  const clientId = id(await change('agent_clients.create', 'agent-clients', client), 'agent_client_id');
  await change('agent_clients.attach_grant', `agent-clients/${clientId}/grant`, { grant_id: grantId });
  await change('agent_clients.revoke', `agent-clients/${clientId}/revoke`);
  const key = await change('keys.create', 'keys', { name: 'Test', role: 'auditor' });
  const keyId = id(key, 'key_id') || (key.json.data as { key: { key_id: string } }).key.key_id;
  await change('keys.change', `keys/${keyId}`, { name: 'Renamed' });
  await change('keys.rotate', `keys/${keyId}/rotate`, {});
  await change('keys.revoke', `keys/${keyId}/revoke`);
  const trusted = await change('trusted_issuers.create', 'trusted-issuers', { issuer: 'https://issuer.example' });
  await change('trusted_issuers.revoke', `trusted-issuers/${id(trusted, 'trusted_issuer_id')}/revoke`);
  await change('grants.revoke', `grants/${grantId}/revoke`);
  const personId = id(await change('staff.create', 'staff', { name: 'Ada', role: 'auditor' }), 'person_id');
  await change('staff.change', `staff/${personId}`, { name: 'Ada Stone' });
  await change('staff.issue_code', `staff/${personId}/codes`);
}

async function twoPersons(): Promise<void> {
  const wide = { grantee: 'agent:x', covers: 'all', scopes: READ_SCOPES, expires_at: '2099-01-01T00:00:00Z' };
  const delegation = await change('delegations.create', 'group-delegations', wide);
  const { approval } = delegation.json.data as { approval: { approval_id: string } };
  const shown = await callAdmin(service, await bearerOf('compliance'), 'GET', `approvals/${approval.approval_id}`);
  const { content_hash } = shown.json.data as { content_hash: string };
  const path = `approvals/${approval.approval_id}/approve`;
  await change('approvals.approve', path, { content_hash }, 'compliance');
  const delegationId = id(delegation, 'delegation_id');
  await change('delegations.activate', `group-delegations/${delegationId}/activate`);
  await change('delegations.revoke', `group-delegations/${delegationId}/revoke`);

  const drafted = await change('policies.create_draft', 'policies/drafts', policy(['media']));
  const draft = `policies/drafts/${id(drafted, 'draft_id')}`;
  await change('policies.replace_draft', draft, policy(['media', 'odometer']));
  const denied = approvalOf(await change('policies.publish', `${draft}/publish`));
  await change('approvals.deny', `approvals/${denied}/deny`, { reason: 'Test' }, 'compliance');
  const asked = await change('policies.publish', `${draft}/publish`);
  made['policies.publish, asked for'] = asked;
  await approve(service, persons.compliance, approvalOf(asked));
  await change('policies.publish', `${draft}/publish`);
  const second = await change('policies.create_draft', 'policies/drafts', policy([]));
  const other = `policies/drafts/${id(second, 'draft_id')}/publish`;
  await approve(service, persons.compliance, approvalOf(await change('policies.publish', other)));
  await change('policies.publish', other);
  const again = 'policies/versions/1/republish';
  await approve(service, persons.compliance, approvalOf(await change('policies.republish', again, { reason: 'Test' })));
  await change('policies.republish', again, { reason: 'Test' });
}

async function feeds(): Promise<void> {
  const settings = { odometer_unit: 'mi' };
  const feed = { feed_id: FEED, name: 'Lot', profile: 'vauto', rooftops: { rooftop_id: STORE }, settings };
  await change('feeds.create', 'feeds', feed);
  await change('feeds.change', `feeds/${FEED}`, { name: 'The lot' });
  const bearer = await bearerOf('admin');
  const settled = async (runId: string): Promise<string> => {
    const state = async (): Promise<string> =>
      String((await callAdmin(service, bearer, 'GET', `feed-runs/${runId}`)).json.data.state);
    await expect.poll(state, { timeout: 30_000 }).not.toMatch(/queued|running/);
    return state();
  };
  const upload = async (cars: readonly number[]): Promise<string> =>
    id(await change('feeds.receive', `feeds/${FEED}/files?name=lot.csv`, csvOf(cars)), 'run_id');
  expect(await settled(await upload(range(1, 30)))).toBe('published');
  const held = await upload([1]); // most cars gone: held
  expect(await settled(held)).toBe('held');
  await change('feeds.release', `feed-runs/${held}/release`);
  const source_time = new Date().toISOString();
  const event = { event_id: 'evt-1', rooftop_id: STORE, vin: vinOf(1), kind: 'sold', source_time };
  await change('unit_events.apply', 'unit-events', event);
}

/** A used car whose two reports do not agree. */
async function reviews(): Promise<void> {
  const rooftop = { ...ROOFTOP, rooftop_id: 'roof.used' };
  await change('rooftops.create', 'rooftops', rooftop);
  const report = (provider_name: string, accident_status: string): object => ({
    ...{ provider_id: 'com.provider', provider_name, status: 'available', access: 'on_request' },
    summary_sharing_authorized: true,
    summary: {
      ...{ accident_status, damage_status: 'unknown', title_brand_status: 'unknown' },
      ...{ odometer_consistency: 'unknown', owner_count_status: 'unknown' },
    },
  });
  const feed = { feed_id: 'feed.used', name: 'Used', profile: 'dealer-agent-inventory-csv/0.1' };
  await change('feeds.create', 'feeds', { ...feed, rooftops: { rooftop_id: 'roof.used' } });
  const file = dapCsv({
    ...{ organization_id: service.organizationId, rooftop_id: 'roof.used', observed_at: new Date().toISOString() },
    history_reports_json: JSON.stringify([report('One', 'events_reported'), report('Two', 'no_events_reported')]),
  });
  await change('feeds.receive', 'feeds/feed.used/files?name=used.csv', file);
  const served = `SELECT u.vehicle_id FROM units u JOIN rooftop_inventory i USING (organization_id, snapshot_id) WHERE i.rooftop_id = 'roof.used'`;
  const vehicles = async (): Promise<{ vehicle_id: string }[]> =>
    (await database.query<{ vehicle_id: string }>(served)).rows;
  await expect.poll(vehicles, { timeout: 30_000 }).toHaveLength(1);
  const path = `rooftops/roof.used/vehicles/${(await vehicles())[0]!.vehicle_id}`;
  const shown = async (): Promise<{ field: string; content_hash: string }[]> => {
    const answer = await callAdmin(service, await bearerOf('admin'), 'GET', `${path}/discrepancies`);
    return answer.status === 200 ? (answer.json.data.discrepancies as { field: string; content_hash: string }[]) : [];
  };
  await expect.poll(shown, { timeout: 10_000 }).toHaveLength(1);
  const [{ field, content_hash } = { field: '', content_hash: '' }] = await shown();
  const said = { field, content_hash, status: 'dealer_reviewed', reason: 'Read both.' };
  await change('discrepancies.review', `${path}/discrepancy-reviews`, said);
}

async function holds(): Promise<void> {
  const matter = { matter: 'Roe', reason: 'claim', categories: ['lead'] };
  const hold = `holds/${id(await change('holds.place', 'holds', matter, 'compliance'), 'hold_id')}`;
  const notice = { person_ids: [persons.auditor], message: 'Keep what Roe sent.' };
  const sent = await change('holds.notices.send', `${hold}/notices`, notice, 'compliance');
  const noticeId = (sent.json.data as { notices: { notice_id: string }[] }).notices[0]!.notice_id;
  await change('holds.notices.acknowledge', `hold-notices/${noticeId}/acknowledge`, undefined, 'auditor');
  const toldAt = { kind: 'webhook', address: 'https://receiver.example/holds' };
  const told = await change('holds.notice_targets.create', 'hold-notice-targets', toldAt, 'compliance');
  const revoke = `hold-notice-targets/${id(told, 'target_id')}/revoke`;
  await change('holds.notice_targets.revoke', revoke, undefined, 'compliance');
  const asked = await change('holds.release', `${hold}/release`, { reason: 'settled' }, 'compliance');
  made['holds.release, asked for'] = asked;
  await approve(service, persons.admin, approvalOf(asked));
  await change('holds.release', `${hold}/release`, { reason: 'settled' }, 'compliance');
}

async function trail(): Promise<void> {
  await change('audit.exports.create', 'audit/exports', { format: 'csv' }, 'auditor');
  const stream = { name: 'SIEM', url: 'https://receiver.example/audit' };
  const path = `audit/streams/${id(await change('audit.streams.create', 'audit/streams', stream, 'auditor'), 'stream_id')}`;
  await change('audit.streams.change', path, { name: 'SIEM two' }, 'auditor');
  await change('audit.streams.rotate_secret', `${path}/rotate-secret`, {}, 'auditor');
  await change('audit.streams.pause', `${path}/pause`, undefined, 'auditor');
  await change('audit.streams.resume', `${path}/resume`, undefined, 'auditor');
  const numbered = async (): Promise<number> =>
    Number(
      (
        await database.query<{ size: string }>(
          'SELECT coalesce(max(size), 0) AS size FROM audit_logs WHERE organization_id = $1',
          [service.organizationId],
        )
      ).rows[0]!.size,
    );
  await expect.poll(numbered, { timeout: 20_000 }).toBeGreaterThan(0);
  await change('audit.streams.replay', `${path}/replays`, { from_seq: 0, to_seq: 1 }, 'auditor');
  await change('audit.streams.revoke', `${path}/revoke`, undefined, 'auditor');
  const target = { kind: 'webhook', address: 'https://receiver.example/audit' };
  const targetId = id(await change('audit_targets.create', 'audit/targets', target), 'target_id');
  await change('audit_targets.change', `audit/targets/${targetId}`, { time_zone: 'America/Chicago' });
  await change('audit_targets.rotate_secret', `audit/targets/${targetId}/rotate-secret`, {});
  await change('audit_targets.revoke', `audit/targets/${targetId}/revoke`);
  const of = made['audit.exports.create']!.headers.get('x-request-id');
  const redaction = { event_id: of, scope: 'record', ground: 'recorded_in_error' };
  const redact = (): Promise<WireAnswer> => change('audit.redacted', 'audit/redactions', redaction, 'compliance');
  await approve(service, persons.admin, approvalOf(await redact()));
  await redact();
}

async function retention(): Promise<void> {
  const named = { policy_id: 'retention.hashes', name: 'Ours', reason: 'Test' };
  const { document } = (await callAdmin(service, await bearerOf('auditor'), 'GET', 'retention/profiles/us.dealer')).json
    .data as { document: object };
  // Before the first activation nothing was in force; the second one replaces it.
  for (const name of ['Ours', 'Ours, later']) {
    const body = { ...named, name, profile_id: 'us.dealer' };
    const drafted = await change('retention.create_draft', 'retention/policies/drafts', body, 'compliance');
    const draft = `retention/policies/drafts/${id(drafted, 'draft_id')}`;
    await change('retention.replace_draft', draft, { ...named, name: `${name}, again`, document }, 'compliance');
    const activate = (): Promise<WireAnswer> =>
      change('retention.activate', `${draft}/activate`, undefined, 'compliance');
    const answer = await activate();
    made['retention.activate, asked for'] = answer;
    for (const person of ['admin', 'auditor'] as const) await approve(service, persons[person], approvalOf(answer));
    await activate();
  }
  const draftRun = async (): Promise<string> => {
    const run = { reason: 'Test', categories: ['quarantined_row'] };
    const path = `retention/runs/${id(await change('retention.runs.create', 'retention/runs', run, 'compliance'), 'run_id')}`;
    const bearer = await bearerOf('auditor');
    const state = async (): Promise<unknown> => (await callAdmin(service, bearer, 'GET', path)).json.data.state;
    await expect.poll(state, { timeout: 30_000 }).toBe('previewed');
    return path;
  };
  await change('retention.runs.cancel', `${await draftRun()}/cancel`, undefined, 'compliance');
  const path = await draftRun();
  const start = (): Promise<WireAnswer> => change('retention.runs.start', `${path}/start`, undefined, 'compliance');
  made['retention.runs.start, asked for'] = await start();
  const asked = approvalOf(made['retention.runs.start, asked for']);
  for (const person of ['admin', 'auditor'] as const) await approve(service, persons[person], asked);
  await start();
  await standingApproval();
}

async function standingApproval(): Promise<void> {
  const requested = { categories: ['quarantined_row'], record_cap: 10, days: 30, reason: 'Routine' };
  const [all, names] = ['retention/standing-approvals', 'retention.standing_approvals'];
  const drafted = await change(`${names}.create`, all, requested, 'compliance');
  const path = `${all}/${id(drafted, 'standing_approval_id')}`;
  const activate = (): Promise<WireAnswer> => change(`${names}.activate`, `${path}/activate`, undefined, 'compliance');
  const asked = await activate();
  made[`${names}.activate, asked for`] = asked;
  for (const person of ['admin', 'auditor'] as const) await approve(service, persons[person], approvalOf(asked));
  expect((await activate()).json.data).toMatchObject({ state: 'active' });
  expect((await change(`${names}.revoke`, `${path}/revoke`)).json.data).toMatchObject({ state: 'revoked' });
}

async function privacy(): Promise<void> {
  const ask = async (kind: string, personId = persons.auditor): Promise<string> => {
    const about = { kind, subject_kind: 'person', subject_id: personId };
    const letter = { asked_by: 'subject', asked_reference: 'TICKET-7' };
    const asked = await change('privacy.requests.create', 'privacy-requests', { ...about, ...letter }, 'compliance');
    return `privacy-requests/${id(asked, 'request_id')}`;
  };
  const verify = (path: string): Promise<WireAnswer> =>
    change('privacy.requests.verify', `${path}/verify`, { reference: 'PROOF-2' }, 'compliance');
  const refused = await ask('access');
  await change('privacy.requests.refuse', `${refused}/refuse`, { reason: 'withdrawn' }, 'compliance');
  const access = await ask('access');
  await verify(access);
  const longer = { reason: 'complexity', notice_reference: 'LETTER-1' };
  await change('privacy.requests.extend', `${access}/extend`, longer, 'compliance');
  await change('privacy.requests.run', `${access}/run`, undefined, 'compliance');
  const erasure = await ask('erasure', 'staff.somebody');
  await verify(erasure);
  await change('privacy.requests.preview', `${erasure}/preview`, undefined, 'compliance');
}

describe('The audit record of a change over the admin API', () => {
  it('has the hashes of before and after: nothing was there before a creation, and something always is after', async () => {
    for (const walk of [organizations, access, twoPersons, feeds, reviews, holds, trail, retention, privacy])
      await walk();
    for (const [name, answer] of Object.entries(made)) {
      const [operation = ''] = name.split(',');
      const { rows } = await database.query<Record<string, string | null>>(
        'SELECT operation, outcome, before_hash, after_hash FROM audit_events WHERE event_id = $1',
        [answer.headers.get('x-request-id')],
      );
      expect(rows, name).toHaveLength(1);
      const kind = routes.find((r) => r.operation?.name === operation)?.operation?.change;
      const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
      expect({ name, ...rows[0] }).toEqual({
        ...{ name, operation: RECORDED_AS[operation] ?? operation, outcome: 'succeeded' },
        ...{ before_hash: kind === 'creation' ? null : hash, after_hash: hash },
      });
      const same = rows[0]!['before_hash'] === rows[0]!['after_hash'];
      expect({ name, same }).toEqual({ name, same: name.includes('asked for') });
    }
  });

  it('was looked at for every change that there is', () => {
    const changes = routes.filter((r) => / \/admin\//.test(r.route) && r.operation?.audit === 'change');
    const names = changes.map((r) => r.operation?.name ?? '');
    expect(names.filter((name) => made[name] === undefined)).toEqual([]);
    expect(names.length).toBeGreaterThan(50);
  });
});
