import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { PLATFORM_TENANT } from '../../src/kernel/ids.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { DEMO_GROUP, DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { letAgentIn } from '../support/agents.js';
import { freeHolds, putHold } from '../support/legal-holds.js';
import { AuditTrail } from '../support/audit-trail.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const BUYER = 'org.buyer';
const STRANGER = 'org.stranger';
const STORE = 'roof.downtown';

let service: TestService;
let trail: AuditTrail;
let admin: pg.Client;
let operator: string;
let seller: string;
let buyer: string;
let stranger: string;

beforeAll(async () => {
  service = await startTestService();
  trail = await AuditTrail.open(service.database);
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  admin.on('error', () => undefined); // the database is dropped after the test
  await admin.connect();
  const create = service.parts.get(CreateDealerGroup);
  const [store] = DEMO_GROUP.rooftops;
  for (const organizationId of [BUYER, STRANGER])
    await create.run({
      ...DEMO_GROUP,
      organizationId,
      name: organizationId,
      rooftops: store === undefined ? [] : [{ ...store, rooftopId: 'roof.first' }],
    });
  operator = `Bearer ${await createKey(service, PLATFORM_TENANT, 'admin')}`;
  seller = `Bearer ${await service.adminToken()}`;
  [buyer, stranger] = [
    `Bearer ${await createKey(service, BUYER, 'admin')}`,
    `Bearer ${await createKey(service, STRANGER, 'admin')}`,
  ];
});
afterAll(async () => {
  await admin.end();
  await trail.close();
  await service.stop();
});

const call = (key: string, method: string, path: string, body?: unknown): Promise<WireAnswer> =>
  callAdmin(service, key, method, path, body);

async function offer(to = BUYER): Promise<string> {
  const offered = await call(seller, 'POST', 'rooftop-moves', { rooftop_id: STORE, to_organization_id: to });
  expect(offered.status, offered.text).toBe(201);
  return (offered.json.data as { move_id: string }).move_id;
}

const accept = (key: string, moveId: string, from = DEMO_ORGANIZATION, rooftopId = STORE): Promise<WireAnswer> =>
  call(key, 'POST', 'rooftop-moves/acceptances', {
    move_id: moveId,
    rooftop_id: rooftopId,
    from_organization_id: from,
  });

const carryOut = (moveId: string): Promise<WireAnswer> =>
  call(operator, 'POST', `rooftop-moves/${moveId}/carry-out`, {});

/** Ids of the vehicles that anybody finds at the store, under an organization. */
async function vehiclesAt(organizationId: string): Promise<readonly string[] | string> {
  const found = await callTool(
    `${service.origin}/organizations/${organizationId}/mcp`,
    'dealeragent.inventory.search',
    {
      organization_id: organizationId,
      rooftop_ids: [STORE],
      page: { limit: 100 },
    },
  );
  const { isError, structuredContent } = found.json.result as {
    isError?: boolean;
    structuredContent: { vehicles?: { vehicle_id: string }[]; code?: string };
  };
  if (isError === true) return structuredContent.code ?? found.text;
  expect(JSON.stringify(structuredContent)).not.toContain(organizationId === BUYER ? DEMO_ORGANIZATION : BUYER);
  return (structuredContent.vehicles ?? []).map((v) => v.vehicle_id).toSorted();
}

describe('A rooftop is not moved', () => {
  const refused = { status: 400, reason: 'precondition_failed' };
  const of = ({ status, json }: WireAnswer): object => ({ status, reason: json.error?.details?.reason as string });

  it('on the offer alone, nor on an acceptance that does not fit it, nor after either was taken back', async () => {
    const before = await vehiclesAt(DEMO_ORGANIZATION);
    expect(before.length).toBeGreaterThan(50);
    const alone = await offer();
    expect(of(await carryOut(alone))).toEqual(refused);
    const foreign = await offer();
    expect((await accept(stranger, foreign)).status).toBe(201); // learns nothing by it
    expect(of(await carryOut(foreign))).toEqual(refused);
    const mistaken = await offer();
    expect((await accept(buyer, mistaken, DEMO_ORGANIZATION, 'roof.lakeside')).status).toBe(201);
    expect(of(await carryOut(mistaken))).toEqual(refused);
    const withdrawn = await offer();
    expect((await accept(buyer, withdrawn)).status).toBe(201);
    expect((await call(seller, 'POST', `rooftop-moves/${withdrawn}/withdraw`, {})).status).toBe(200);
    expect(of(await carryOut(withdrawn))).toEqual(refused);
    const late = await offer();
    expect((await accept(buyer, late)).status).toBe(201);
    await admin.query(`UPDATE rooftop_transfers SET expires_at = now() - interval '1 second' WHERE move_id = $1`, [
      late,
    ]);
    expect(of(await carryOut(late))).toEqual(refused);
    expect(await vehiclesAt(DEMO_ORGANIZATION)).toEqual(before);
    expect(await vehiclesAt(BUYER)).toBe('dealeragent.resource.not_found');
  });

  it('by either side, and neither sees the half of the other', async () => {
    const moveId = await offer();
    await accept(buyer, moveId);
    for (const key of [seller, buyer])
      expect((await call(key, 'POST', `rooftop-moves/${moveId}/carry-out`, {})).status).toBe(403);
    const seen = await call(stranger, 'GET', 'rooftop-moves');
    expect(seen.text).not.toContain(moveId);
    const own = await call(buyer, 'GET', 'rooftop-moves?limit=100');
    const halves = (own.json.data as { rooftop_moves: { move_id: string; side: string }[] }).rooftop_moves;
    expect(halves.filter((h) => h.move_id === moveId)).toEqual([expect.objectContaining({ side: 'acceptance' })]);
    expect((await call(stranger, 'POST', `rooftop-moves/${moveId}/withdraw`, {})).status).toBe(400);
    const nothing = await call(seller, 'POST', 'rooftop-moves', { rooftop_id: 'roof.none', to_organization_id: BUYER });
    expect(nothing.json.error.details.reason).toBe('not_found');
  });

  it('by the application itself: the function asks for the tenant of the platform', async () => {
    const app = new pg.Client({ connectionString: service.database.appUrl, options: '-c search_path=forecourt' });
    await app.connect();
    for (const tenant of [DEMO_ORGANIZATION, BUYER, '']) {
      await app.query('BEGIN');
      await app.query(`SELECT set_config('app.tenant', $1, true)`, [tenant]);
      await expect(app.query(`SELECT move_rooftop('move.x')`)).rejects.toMatchObject({ code: '42501' });
      await app.query('ROLLBACK');
      await app.query('BEGIN');
      await app.query(`SELECT set_config('app.tenant', $1, true)`, [tenant]);
      for (const list of ['list_organizations', 'list_rooftop_moves'])
        expect((await app.query(`SELECT * FROM ${list}('', 100)`)).rows).toEqual([]);
      await app.query('ROLLBACK');
    }
    await app.end();
  });
});

describe('A rooftop that was sold', () => {
  it('is served by its new organization alone, with its id, its vehicles and its settings', async () => {
    const agent = await letAgentIn(service, { rooftop_ids: [STORE] });
    const before = await vehiclesAt(DEMO_ORGANIZATION);
    const settings = (await call(seller, 'GET', `rooftops/${STORE}/settings`)).json.data as { settings: object };
    const moveId = await offer();
    await accept(buyer, moveId);
    // Whenever anybody looks, exactly one of both has it.
    const seen: number[] = [];
    const watch = { on: true };
    const watching = (async () => {
      while (watch.on) {
        const { rows } = await admin.query<{ both: string }>(
          `SELECT count(*) AS both FROM rooftops r JOIN rooftop_inventory i USING (organization_id, rooftop_id)
           WHERE rooftop_id = $1 AND moved_at IS NULL AND organization_id IN ($2, $3)`,
          [STORE, DEMO_ORGANIZATION, BUYER],
        );
        seen.push(Number(rows[0]?.both));
      }
    })();
    const moved = await carryOut(moveId);
    watch.on = false;
    await watching;
    expect(moved.status, moved.text).toBe(200);
    expect(moved.json.data).toMatchObject({ rooftop_id: STORE, from_organization_id: DEMO_ORGANIZATION });
    expect((moved.json.data as { units: number }).units).toBeGreaterThan(100);
    expect(new Set(seen)).toEqual(new Set([1]));

    await expect.poll(() => vehiclesAt(BUYER), { timeout: 15_000, interval: 200 }).toEqual(before);
    await expect.poll(() => vehiclesAt(DEMO_ORGANIZATION), { timeout: 15_000 }).toBe('dealeragent.resource.not_found');
    expect((await call(buyer, 'GET', `rooftops/${STORE}/settings`)).json.data).toMatchObject({
      settings: settings.settings,
    });
    const granted = await callTool(
      `${service.origin}/organizations/${DEMO_ORGANIZATION}/mcp`,
      'dealeragent.inventory.search',
      { organization_id: DEMO_ORGANIZATION, rooftop_ids: [STORE] },
      { authorization: agent.bearer },
    );
    expect(granted.json.result.isError, granted.text).toBe(true);
    expect((await carryOut(moveId)).status).toBe(400); // once
  });

  it('leaves history and audit with its old organization, and both trails and the platform name it', async () => {
    expect((await call(seller, 'GET', `rooftops/${STORE}/settings/versions`)).status).toBe(200);
    expect((await call(seller, 'GET', `rooftops/${STORE}`)).json.error.details.reason).toBe('not_found');
    const rows = await trail.ofOperation('rooftop_moves.carry_out');
    const done = rows.filter((r) => r.outcome === 'succeeded');
    expect(done.map((r) => r.organization_id).toSorted()).toEqual(
      [PLATFORM_TENANT, BUYER, DEMO_ORGANIZATION].toSorted(),
    );
    expect(done.every((r) => r.rooftop_ids.includes(STORE))).toBe(true);
    expect(new Set(done.map((r) => r.trace_id)).size).toBe(1);
    const kept = await admin.query(
      `SELECT count(*)::int AS n FROM feed_runs WHERE organization_id = $1 AND feed_id LIKE '%downtown%'`,
      [DEMO_ORGANIZATION],
    );
    expect(kept.rows[0]).toEqual({ n: 1 });
  });

  it('cannot be taken by an id that its new organization uses already, and can come back', async () => {
    const back = await call(buyer, 'POST', 'rooftop-moves', {
      rooftop_id: STORE,
      to_organization_id: DEMO_ORGANIZATION,
    });
    const moveId = (back.json.data as { move_id: string }).move_id;
    await accept(seller, moveId, BUYER);
    const before = await vehiclesAt(BUYER);
    await admin.query(
      `INSERT INTO unit_overlays (organization_id, rooftop_id, vin, status, status_time) VALUES ($1, $2, '1HGCM82633A004352', 'sold', now())`,
      [DEMO_ORGANIZATION, STORE],
    );
    await putHold(admin, DEMO_ORGANIZATION, 'hold.smith', { subjects: ['1HGCM82633A004352'] });
    const held = await carryOut(moveId);
    expect(held.json.error.details.reason, 'what was said of a vehicle at the time before would go').toBe('held');
    await freeHolds(admin);
    const returned = await carryOut(moveId);
    expect(returned.status, returned.text).toBe(200);
    await expect.poll(() => vehiclesAt(DEMO_ORGANIZATION), { timeout: 15_000, interval: 200 }).toEqual(before);
    await expect.poll(() => vehiclesAt(BUYER), { timeout: 15_000 }).toBe('dealeragent.resource.not_found');
    const first = await call(stranger, 'POST', 'rooftop-moves', {
      rooftop_id: 'roof.first',
      to_organization_id: BUYER,
    });
    const second = (first.json.data as { move_id: string }).move_id;
    await accept(buyer, second, STRANGER, 'roof.first');
    expect((await carryOut(second)).json.error.details.reason).toBe('precondition_failed');
  });
});
