import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import { carLine, csvOf, range, vinOf } from '../support/feed-csv.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const OTHER = 'org.other-group';
const ROOFTOP = 'roof.downtown';
const FEED = {
  feed_id: 'feed.lot',
  name: 'Lot',
  profile: 'vauto',
  rooftops: { rooftop_id: ROOFTOP },
  settings: { odometer_unit: 'mi' },
};

/** What every challenge of the admin API says. */
const adminMetadata = (): string => `resource_metadata="${service.origin}/.well-known/oauth-protected-resource/admin"`;

let service: TestService;
let trail: AuditTrail;
let admin: string;
let otherAdmin: string;

beforeAll(async () => {
  service = await startTestService({ demo: false, env: { DEFAULT_ORGANIZATION: DEMO_GROUP.organizationId } });
  trail = await AuditTrail.open(service.database);
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: OTHER, name: 'Other Group' });
  admin = `Bearer ${await service.adminToken()}`;
  otherAdmin = `Bearer ${await createKey(service, OTHER, 'admin')}`;
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

const call = (method: string, path: string, body?: unknown, key: string | null = admin): Promise<WireAnswer> =>
  callAdmin(service, key, method, path, body, path.endsWith('/release') ? { 'if-match': '"4"' } : {});

async function settled(runId: unknown, key = admin): Promise<WireAnswer> {
  const show = (): Promise<WireAnswer> => call('GET', `feed-runs/${String(runId)}`, undefined, key);
  await expect
    .poll(async () => String((await show()).json.data.state), { timeout: 30_000 })
    .not.toMatch(/queued|running/);
  return show();
}

const event = (id: string, more: object = {}): object => ({
  event_id: id,
  rooftop_id: ROOFTOP,
  vin: vinOf(1),
  kind: 'sold',
  source_time: new Date().toISOString(),
  ...more,
});

let runId: string;
let vehicleId: string;

/** What every answer of the admin API has, and that it left exactly one record under its own id. */
async function expectAudited(answer: WireAnswer, record: Record<string, unknown>): Promise<void> {
  const { data, meta, error } = answer.json as Record<string, { code?: string; request_id?: string } | null>;
  const id = answer.headers.get('x-request-id');
  expect(meta).toMatchObject({
    schema: 'v1',
    request_id: id,
    cache: 'bypass',
    outcome: error === null ? 'succeeded' : 'failed',
  });
  expect((meta as unknown as { latency_ms: { hub: number } }).latency_ms.hub).toBeGreaterThanOrEqual(0);
  expect(data === null).toBe(error !== null);
  if (error) expect(error.request_id).toBe(id);
  const rows = await trail.ofEvent(id);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ surface: 'admin', trace_id: `trc_${String(id).slice(4)}`, ...record });
}

describe('The admin API, from a new feed to a sold car', () => {
  const key = { organization_id: DEMO_GROUP.organizationId, actor_kind: 'key' };
  const done = { ...key, decision: 'allow', outcome: 'succeeded' };

  it('leaves one record of each call, whose id is the request id', async () => {
    const created = await call('POST', 'feeds', FEED);
    expect(created.status).toBe(201);
    await expectAudited(created, {
      ...done,
      operation: 'feeds.create',
      resource_ids: ['feed.lot'],
      rooftop_ids: [ROOFTOP],
    });
    const uploaded = await call(
      'POST',
      'feeds/feed.lot/files?name=lot.csv',
      csvOf([...range(1, 30), carLine(31, { year: 'x' })]),
    );
    expect(uploaded.status).toBe(202);
    await expectAudited(uploaded, { ...done, operation: 'feeds.receive' });
    runId = uploaded.json.data.run_id as string;
    const run = await settled(runId);
    expect(run.json.data).toMatchObject({ state: 'published', report: { publishable: 30, quarantined: 1 } });
    await expectAudited(run, { ...done, operation: 'feed_runs.get' });
    const found = await callTool(`${service.origin}/mcp`, 'dealeragent.inventory.get_vehicle', {
      organization_id: DEMO_GROUP.organizationId,
      rooftop_id: ROOFTOP,
      vin: vinOf(1),
    });
    vehicleId = found.json.result.structuredContent.vehicle_id as string;
  });

  it.each([
    { path: () => 'feeds', operation: 'feeds.list' },
    { path: () => 'feeds/feed.lot', operation: 'feeds.get' },
    { path: () => 'feeds/feed.lot/runs?limit=1', operation: 'feeds.list_runs' },
    { path: () => `feed-runs/${runId}/rows?disposition=quarantined`, operation: 'feed_runs.list_rows' },
    { path: () => `vehicles/${vehicleId}/source`, operation: 'vehicles.trace' },
    { path: () => 'inventory', operation: 'inventory.overview' },
  ])('audits what staff read: $operation', async ({ path, operation }) => {
    const answer = await call('GET', path());
    expect(answer.status).toBe(200);
    await expectAudited(answer, { ...done, operation });
  });

  it('audits a sold car once for each delivery of the event', async () => {
    const sent = event('evt-sold');
    for (const effect of ['applied', 'applied']) {
      const answer = await call('POST', 'unit-events', sent);
      expect({ status: answer.status, data: answer.json.data }).toEqual({
        status: 200,
        data: { event_id: 'evt-sold', effect },
      });
      await expectAudited(answer, { ...done, operation: 'unit_events.sold' });
    }
  });

  it.each([
    {
      what: 'a taken feed id',
      method: 'POST',
      path: 'feeds',
      body: FEED,
      operation: 'feeds.create',
      code: 'invalid_input',
    },
    {
      what: 'an impossible event',
      method: 'POST',
      path: 'unit-events',
      body: {},
      operation: 'unit_events.apply',
      code: 'invalid_input',
    },
    {
      what: 'an event id with another content',
      method: 'POST',
      path: 'unit-events',
      body: event('evt-sold', { vin: vinOf(2) }),
      operation: 'unit_events.apply',
      code: 'invalid_input',
    },
    {
      what: 'a page too large',
      method: 'GET',
      path: 'feeds/feed.lot/runs?limit=1000',
      body: undefined,
      operation: 'feeds.list_runs',
      code: 'invalid_input',
    },
    {
      what: 'an absent feed',
      method: 'GET',
      path: 'feeds/feed.none',
      body: undefined,
      operation: 'feeds.get',
      code: 'invalid_input',
    },
    {
      what: 'a file for an absent feed',
      method: 'POST',
      path: 'feeds/feed.none/files',
      body: csvOf([1]),
      operation: 'feeds.receive',
      code: 'invalid_input',
    },
    {
      what: 'an absent run',
      method: 'GET',
      path: 'feed-runs/run.none',
      body: undefined,
      operation: 'feed_runs.get',
      code: 'invalid_input',
    },
    {
      what: 'a release of an absent run',
      method: 'POST',
      path: 'feed-runs/run.none/release',
      body: undefined,
      operation: 'feeds.release',
      code: 'invalid_input',
    },
    {
      what: 'an absent vehicle',
      method: 'GET',
      path: 'vehicles/veh.none/source',
      body: undefined,
      operation: 'vehicles.trace',
      code: 'invalid_input',
    },
  ])('audits what failed: $what', async ({ method, path, body, operation, code }) => {
    const answer = await call(method, path, body);
    expect({ status: answer.status, code: answer.json.error.code }).toEqual({ status: 400, code });
    await expectAudited(answer, { ...key, operation, outcome: 'failed' });
    expect(answer.json.error.retryable).toBe(false);
  });
});

describe('A key', () => {
  const malformed = [
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Basic dXNlcjpwYXNz',
    'fck_',
    `Bearer fck_${'a'.repeat(40)}`,
    'Bearer fck_live_00000000_0000',
  ];

  it('is needed for every admin call', async () => {
    for (const [method, path] of [
      ['GET', 'feeds'],
      ['POST', 'feeds'],
      ['GET', 'inventory'],
      ['POST', 'unit-events'],
      ['POST', 'feed-runs/run.x/release'],
    ] as const) {
      const answer = await call(method, path, method === 'POST' ? {} : undefined, null);
      expect({ status: answer.status, code: answer.json.error.code }).toEqual({ status: 401, code: 'unauthorized' });
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer ${adminMetadata()}`);
      await expectAudited(answer, {
        organization_id: 'forecourt.platform',
        actor_kind: 'anonymous',
        actor: null,
        decision: 'deny',
        outcome: 'denied',
      });
    }
  });

  it.each(malformed)('that reads "%s" is refused like any other bad one', async (authorization) => {
    const answer = await call('GET', 'feeds', undefined, authorization);
    expect({ status: answer.status, code: answer.json.error.code, message: answer.json.error.message }).toEqual({
      status: 401,
      code: 'unauthorized',
      message: 'The presented credential is not valid.',
    });
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", ${adminMetadata()}`);
    await expectAudited(answer, {
      operation: 'feeds.list',
      decision: 'deny',
      outcome: 'denied',
      failure_code: 'caller.credential_invalid',
    });
  });

  it('with one letter changed, or past its day, is refused', async () => {
    const letters = admin.split('');
    letters[letters.length - 3] = letters.at(-3) === 'a' ? 'b' : 'a';
    const expired = `Bearer ${await createKey(service, DEMO_GROUP.organizationId, 'admin', Date.now() - 1000).catch(() => 'never-made')}`;
    for (const bad of [letters.join(''), expired])
      expect((await call('GET', 'feeds', undefined, bad)).status).toBe(401);
  });

  it.each(['compliance', 'auditor', 'app'] as const)('of the role %s may do none of it', async (role) => {
    const key = `Bearer ${await createKey(service, DEMO_GROUP.organizationId, role)}`;
    for (const [method, path, body] of [
      ['GET', 'feeds'],
      ['POST', 'feeds', FEED],
      ['GET', `feed-runs/${runId}`],
      ['POST', 'unit-events', event('evt-x')],
    ] as const) {
      const answer = await call(method, path, body, key);
      expect({ status: answer.status, code: answer.json.error.code }).toEqual({ status: 403, code: 'forbidden_role' });
      await expectAudited(answer, {
        organization_id: DEMO_GROUP.organizationId,
        actor_kind: 'key',
        decision: 'deny',
        outcome: 'denied',
        failure_code: 'caller.role_forbidden',
      });
    }
  });
});

describe('Another organization', () => {
  it('finds no feed, run or vehicle of this one: the answer is that of an absent one', async () => {
    const shape = ({ status, json }: WireAnswer): object => ({
      status,
      error: { ...json.error, request_id: undefined, error_id: undefined },
    });
    for (const [path, absent] of [
      ['feeds/feed.lot', 'feeds/feed.none'],
      ['feeds/feed.lot/runs', 'feeds/feed.none/runs'],
      [`feed-runs/${runId}`, 'feed-runs/run.none'],
      [`feed-runs/${runId}/rows`, 'feed-runs/run.none/rows'],
      [`vehicles/${vehicleId}/source`, 'vehicles/veh.none/source'],
    ] as const) {
      const answer = await call('GET', path, undefined, otherAdmin);
      expect(answer.status === 400 || (answer.status === 200 && JSON.stringify(answer.json.data).includes('[]'))).toBe(
        true,
      );
      expect(shape(answer)).toEqual(shape(await call('GET', absent, undefined, otherAdmin)));
      await expectAudited(answer, { organization_id: OTHER });
    }
    expect((await call('POST', 'feeds/feed.lot/files', csvOf([1]), otherAdmin)).status).toBe(400);
    expect((await call('POST', `feed-runs/${runId}/release`, undefined, otherAdmin)).status).toBe(400);
    expect((await call('GET', 'feeds', undefined, otherAdmin)).json.data).toEqual({ feeds: [], next_cursor: null });
    expect((await call('GET', 'inventory', undefined, otherAdmin)).json.data.rooftops).toEqual([]);
  });

  it('may use the same ids for its own', async () => {
    expect((await call('POST', 'feeds', { ...FEED, name: 'Theirs' }, otherAdmin)).status).toBe(201);
    expect((await call('GET', 'feeds/feed.lot')).json.data.name).toBe('Lot');
    const sent = await call('POST', 'unit-events', event('evt-sold', { vin: vinOf(3) }), otherAdmin);
    expect(sent.json.data).toEqual({ event_id: 'evt-sold', effect: 'unknown_unit' });
  });

  it.each([
    { organization_id: OTHER },
    { organizationId: OTHER },
    { enabled: false },
    { version: 9 },
    { created_at: 'x' },
  ])('cannot be named by mass assignment: %j', async (extra) => {
    const answer = await call('POST', 'feeds', { ...FEED, feed_id: 'feed.smuggled', ...extra });
    expect(answer.json.error).toMatchObject({
      code: 'invalid_input',
      details: { violations: [{ pointer: `/${Object.keys(extra)[0]}`, keyword: 'additionalProperties' }] },
    });
    for (const key of [admin, otherAdmin])
      expect((await call('GET', 'feeds/feed.smuggled', undefined, key)).status).toBe(400);
  });
});

describe('The audit trail of all this', () => {
  it('holds no token, no name of a file, no text of a request and no VIN', async () => {
    await call('POST', 'feeds', { ...FEED, feed_id: 'feed.named', name: 'Jane Doe jane@mail.example' });
    await call('POST', 'feeds/feed.named/files?name=jane-doe.csv', csvOf([5]));
    await call('POST', 'unit-events', event('evt-gone', { vin: vinOf(5), kind: 'removed' }));
    const text = await trail.text();
    for (const secret of [admin.slice(7), otherAdmin.slice(7), 'jane', vinOf(5), vinOf(1), '127.0.0.1'])
      expect(text).not.toContain(secret);
  });
});
