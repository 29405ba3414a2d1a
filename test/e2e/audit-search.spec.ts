import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { LIMITS } from '../../src/kernel/limits.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import { callTool, type WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';

const SEARCH = 'dealeragent.inventory.search';

let service: TestService;
let trail: AuditTrail;
let auditor: string;
let admin: string;
let vehicle: string;
let rooftop: string;

beforeAll(async () => {
  service = await startTestService();
  trail = await AuditTrail.open(service.database);
  auditor = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'auditor')}`;
  admin = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'admin')}`;
  for (let i = 0; i < 3; i++)
    await callTool(`${service.origin}/mcp`, SEARCH, { organization_id: DEMO_ORGANIZATION, page: { limit: 2 } });
  const [row] = await trail.ofOperation(SEARCH);
  vehicle = row!.resource_ids[0]!;
  rooftop = row!.rooftop_ids[0]!;
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

const audit = (who: string, path: string): Promise<WireAnswer> => callAdmin(service, who, 'GET', `audit/${path}`);

it('says who touched a vehicle, and what an actor reached', async () => {
  const touched = await audit(auditor, `touched?subject=${vehicle}`);
  expect(touched.json.data).toMatchObject({ subject: vehicle, records: 3, callers_total: 1, next_cursor: null });
  expect(touched.json.data.covers).toEqual({ from: null, to: null });
  expect(touched.json.data.callers).toMatchObject([{ actor_kind: 'anonymous', actor: null, records: 3 }]);
  expect(touched.json.data.operations).toMatchObject([{ operation: SEARCH, outcome: 'succeeded', records: 3 }]);
  const [look] = await trail.ofOperation('audit.touched');
  const reached = await audit(auditor, `reached?actor=${look!.actor}`);
  expect(reached.json.data.operations).toMatchObject([{ operation: 'audit.touched', records: 1 }]);
  expect((await audit(auditor, 'touched?subject=veh.none')).json.data).toMatchObject({ records: 0, callers: [] });
});

it('keeps what only auditors see from the searches of others, and records the attempts', async () => {
  for (const path of [
    `touched?subject=${vehicle}`,
    'reached?actor=a',
    `records?resource_id=${vehicle}`,
    'records?client=c',
  ])
    expect((await audit(admin, path)).status).toBe(403);
  expect((await trail.ofOperation('audit.touched')).some((row) => row.outcome === 'denied')).toBe(true);
});

it.each([
  ['surface=mcp', 3],
  ['surface=a2a', 0],
  ['outcome=denied&surface=mcp', 0],
  ['profile=none', 0],
  [`operation=${SEARCH}&decision=allow`, 3],
])('searches by %s', async (query, found) => {
  const { json } = await audit(auditor, `records?${query}`);
  expect(json.data.records).toHaveLength(found);
});

it('searches by resource and by rooftop', async () => {
  expect((await audit(auditor, `records?resource_id=${vehicle}`)).json.data.records).toHaveLength(3);
  expect((await audit(auditor, `records?rooftop_id=${rooftop}&surface=mcp`)).json.data.records).toHaveLength(3);
});

it('tells support what became of a call, and nothing of who called or what was reached', async () => {
  const call = await callTool(`${service.origin}/mcp`, SEARCH, {
    organization_id: DEMO_ORGANIZATION,
    filters: { make: 7 },
  });
  const traceId = call.json.result.structuredContent.trace_id as string;
  const { json } = await audit(admin, `support/${traceId}`);
  expect(json.data.calls).toEqual([
    {
      occurred_at: expect.any(String),
      operation: SEARCH,
      outcome: 'failed',
      failure_code: 'input.invalid',
      message: expect.any(String),
    },
  ]);
  expect((await audit(admin, 'support/trc_none')).status).toBe(400);
});

it('pages receipts, and asks about a quarter of a year at most', async () => {
  const day = (n: number): string => new Date(Date.now() + n * 86_400_000).toISOString();
  const to = day(1);
  const path = `receipts?rooftop_id=${rooftop}&from=${day(-1)}&to=${to}`;
  const { json } = await audit(admin, path);
  expect(json.data.lines).toMatchObject([{ operation: SEARCH, outcome: 'succeeded', calls: 3 }]);
  expect(json.data).toMatchObject({ next_cursor: null, counted_to: to });
  expect((await audit(admin, `receipts?rooftop_id=${rooftop}&from=${day(-100)}&to=${to}`)).status).toBe(400);
});

it('finds nothing of another organization, without one, or by a condition that it does not know', async () => {
  const client = new pg.Client({ connectionString: service.database.appUrl, options: '-c search_path=forecourt' });
  await client.connect();
  const found = async (tenant: string, filter: object): Promise<number> => {
    await client.query(`SELECT set_config('app.tenant', $1, false)`, [tenant]);
    return (await client.query('SELECT FROM find_audit_events($1, NULL, NULL, 10)', [filter])).rowCount ?? 0;
  };
  try {
    expect(await found(DEMO_ORGANIZATION, { resourceId: vehicle })).toBe(3);
    expect(await found('org.other', { resourceId: vehicle })).toBe(0);
    expect(await found('', {})).toBe(0);
    expect(await found(DEMO_ORGANIZATION, { unknown: 'x' })).toBe(0);
    expect(await found(DEMO_ORGANIZATION, { operation: "' OR true --" })).toBe(0);
  } finally {
    await client.end();
  }
});

it('adds up what a large agent reached in several answers, each for its stretch', async () => {
  const more = LIMITS.auditSumRecords.value + 7;
  const owner = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await owner.connect();
  await owner.query(
    `INSERT INTO audit_events (recorded_at, event_id, organization_id, occurred_at, trace_id, surface, operation, actor_kind, actor, rooftop_ids, resource_ids,
       decision, outcome, canon)
     SELECT now() + n * interval '1 millisecond', 'large.' || n, $1, now(), 'trc_' || n, 'mcp', 'tool', 'agent', 'agent.large', ARRAY['roof.1'], ARRAY['veh.' || n],
       'allow', 'succeeded', '\\x00' FROM generate_series(1, $2::integer) AS n`,
    [DEMO_ORGANIZATION, more],
  );
  await owner.end();
  const first = (await audit(auditor, 'reached?actor=agent.large&limit=2')).json.data;
  expect(first).toMatchObject({ records: more - 7, rooftops: [{ records: more - 7 }], resources_total: more - 7 });
  expect(first.resources).toHaveLength(2);
  expect(first.covers).toEqual({ from: first.first_at, to: null });
  const cursor = encodeURIComponent(first.next_cursor as string);
  const second = (await audit(auditor, `reached?actor=agent.large&cursor=${cursor}`)).json.data;
  expect(second).toMatchObject({ records: 7, resources_total: 7, next_cursor: null, covers: { from: null } });
  expect(second.covers.to).toBe(first.first_at);
  expect((await audit(auditor, `reached?actor=agent.other&cursor=${cursor}`)).status).toBe(400);
});
