import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DapWorld, DOWNTOWN, NORTH, ORGANIZATION, UNITS } from '../../support/dap-world.js';
import { needs, TOOL } from './checks.js';

const INVENTORY = ['dealeragent:inventory:read'];
const organization = { organization_id: ORGANIZATION };

let world: DapWorld;
beforeAll(async () => {
  world = await DapWorld.open();
});
afterAll(() => world.stop());

const unit = (rooftop: string, vin: string): object => ({ ...organization, rooftop_id: rooftop, vin });

describe('Public DAP checks 1 to 10: core behaviour', () => {
  it('DAP 1: the manifest has the four required profiles and the pinned revision', async (context) => {
    await needs(context, world, TOOL.availability, TOOL.pricing);
    const { body } = await world.call(TOOL.manifest, organization);
    expect(body.mcp_revision).toBe('2026-07-28');
    expect((body.capabilities as { profile: string }[]).map((c) => c.profile)).toEqual(
      expect.arrayContaining([
        'dealeragent.discovery/0.1',
        'dealeragent.inventory.read/0.1',
        'dealeragent.inventory.availability/0.1',
        'dealeragent.pricing.disclosure/0.1',
      ]),
    );
  });

  it('DAP 2: a public search returns both rooftops, a stale unit, and is called stale itself', async () => {
    const { body } = await world.call(TOOL.search, organization);
    const vehicles = body.vehicles as { rooftop_id: string; freshness: { state: string } }[];
    expect(vehicles).toHaveLength(3);
    expect(new Set(vehicles.map((v) => v.rooftop_id))).toEqual(new Set([DOWNTOWN, NORTH]));
    expect(vehicles.map((v) => v.freshness.state).toSorted()).toEqual(['current', 'current', 'stale']);
    expect(body.freshness.state).toBe('stale');
  });

  it('DAP 3: a cursor pages forward, and is refused under another filter or with one character changed', async () => {
    const first = await world.call(TOOL.search, { ...organization, page: { limit: 1 } });
    const cursor = first.body.page.next_cursor as string;
    const next = await world.call(TOOL.search, { ...organization, page: { limit: 1, cursor } });
    expect(next.body.vehicles[0].vehicle_id).not.toBe(first.body.vehicles[0].vehicle_id);
    const middle = Math.floor(cursor.length / 2);
    const altered = `${cursor.slice(0, middle)}${cursor[middle] === 'A' ? 'B' : 'A'}${cursor.slice(middle + 1)}`;
    for (const request of [
      { ...organization, filters: { condition: ['used'] }, page: { limit: 1, cursor } },
      { ...organization, page: { limit: 1, cursor: altered } },
    ]) {
      const { isError, body } = await world.call(TOOL.search, request);
      expect(isError).toBe(true);
      expect(body).toMatchObject({ code: 'dealeragent.validation.invalid', message: expect.stringMatching(/cursor/) });
    }
  });

  it('DAP 4a: availability without a credential needs one', async (context) => {
    await needs(context, world, TOOL.availability);
    const { body } = await world.call(TOOL.availability, unit(DOWNTOWN, UNITS.fresh.vin));
    expect(body.code).toBe('dealeragent.auth.required');
  });

  it('DAP 4b: availability under a grant is authoritative and current', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN], scopes: INVENTORY });
    const { body } = await world.call(TOOL.availability, unit(DOWNTOWN, UNITS.fresh.vin), token);
    expect(body).toMatchObject({
      availability: { status: 'available', authority_status: 'authoritative', human_verification_required: false },
      freshness: { state: 'current' },
    });
    expect(Date.parse(body.availability.valid_until as string)).toBeGreaterThan(Date.now());
    expect(world.system.lastHeaders()['authorization']).toBeUndefined();
  });

  it('DAP 5: a grant for one rooftop does not reach another', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN], scopes: INVENTORY });
    const { body } = await world.call(TOOL.availability, unit(NORTH, UNITS.north.vin), token);
    expect(body.code).toBe('dealeragent.tenant.forbidden');
  });

  it('DAP 6: a grant without scopes is not enough', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN], scopes: [] });
    const { body } = await world.call(TOOL.availability, unit(DOWNTOWN, UNITS.fresh.vin), token);
    expect(body.code).toBe('dealeragent.scope.insufficient');
  });

  it('DAP 7: a stale unit is refused as stale, with its freshness', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN], scopes: INVENTORY });
    const { body } = await world.call(TOOL.availability, unit(DOWNTOWN, UNITS.stale.vin), token);
    expect(body).toMatchObject({
      code: 'dealeragent.vehicle.stale',
      retryable: true,
      details: { current_freshness: { state: 'stale' } },
    });
    expect(body.retry_after_ms).toBeGreaterThan(0);
  });

  it('DAP 8: a disclosure has no generic price, charges as listed, unknown taxes and evidence for incentives', async (context) => {
    await needs(context, world, TOOL.pricing);
    const found = await world.call(TOOL.vehicle, unit(DOWNTOWN, UNITS.fresh.vin));
    const { vehicle_id } = found.body as { vehicle_id: string };
    const { body } = await world.call(TOOL.pricing, { ...organization, rooftop_id: DOWNTOWN, vehicle_id });
    expect(body).not.toHaveProperty('price');
    expect(body.advertised_price.amount).toEqual({ amount_minor: UNITS.fresh.price, currency: 'USD' });
    expect(body.required_dealer_charges).toMatchObject([{ required: true, included_in_advertised_price: true }]);
    expect(body.government_charges.status).toBe('unknown');
    expect(body.conditional_adjustments).toMatchObject([
      { amount: { amount_minor: 50_000 }, criteria: [{ evidence_status: 'required' }] },
    ]);
  });

  it('DAP 9: a foreign organization is not found, and its id is not repeated', async () => {
    const { body } = await world.call(TOOL.dealer, { organization_id: 'org.other-motors' });
    expect(body.code).toBe('dealeragent.resource.not_found');
    expect(body.message).not.toContain('org.other-motors');
  });

  it('DAP 10: an invalid request with a secret value is answered without it', async () => {
    const { http, body } = await world.call(TOOL.vehicle, {
      ...organization,
      rooftop_id: DOWNTOWN,
      password: 's3cr3t',
    });
    expect(body.code).toBe('dealeragent.validation.invalid');
    expect(http.text).not.toContain('s3cr3t');
  });
});
