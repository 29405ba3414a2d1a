import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { carLine, csvOf, range, vinOf } from '../support/feed-csv.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const ORGANIZATION = 'org.two-paces';
const FAST = 'roof.fast';
const SLOW = 'roof.slow';
const SLA_SECONDS: Readonly<Record<string, number>> = { [FAST]: 900, [SLOW]: 86_400 };
const IMPORTED = Date.parse('2026-11-30T12:00:00Z');

interface Freshness {
  readonly state: string;
  readonly observed_at: string;
  readonly valid_until: string;
  readonly max_age_seconds: number;
}
interface Found {
  readonly vehicles: readonly { readonly vin: string; readonly rooftop_id: string; readonly freshness: Freshness }[];
  readonly freshness: Freshness;
}

let service: TestService;
let now = IMPORTED;
let key: string;

beforeAll(async () => {
  service = await startTestService({ demo: false, clock: { now: () => now } });
  const [first] = DEMO_GROUP.rooftops;
  const rooftops = Object.entries(SLA_SECONDS).map(([rooftopId, inventory]) => ({
    ...first!,
    rooftopId,
    settings: {
      freshness_sla_seconds: { inventory, availability: inventory, pricing: 86_400 },
      required_charges: { status: 'none' as const },
    },
  }));
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: ORGANIZATION, rooftops });
  key = `Bearer ${await createKey(service, ORGANIZATION, 'admin')}`;
  for (const rooftop of [FAST, SLOW]) {
    const feed = {
      feed_id: `feed.${rooftop}`,
      name: rooftop,
      profile: 'vauto',
      rooftops: { rooftop_id: rooftop },
      settings: { odometer_unit: 'mi' },
    };
    expect((await callAdmin(service, key, 'POST', 'feeds', feed)).status).toBe(201);
  }
  await importFile(FAST, csvOf(range(1, 20)));
  await importFile(SLOW, csvOf(range(101, 120)));
});
afterAll(() => service.stop());

async function importFile(rooftop: string, content: string): Promise<void> {
  const { json } = await callAdmin(service, key, 'POST', `feeds/feed.${rooftop}/files`, content);
  const runId = json.data.run_id as string;
  const state = async (): Promise<string> =>
    String((await callAdmin(service, key, 'GET', `feed-runs/${runId}`)).json.data.state);
  await vi.waitUntil(async () => !/queued|running/.test(await state()), { timeout: 30_000, interval: 100 });
  expect(await state()).toBe('published');
}

async function tool<T>(name: string, args: object): Promise<T> {
  const url = `${service.origin}/organizations/${ORGANIZATION}/mcp`;
  const { json } = await callTool(url, `dealeragent.inventory.${name}`, { organization_id: ORGANIZATION, ...args });
  return json.result.structuredContent as T;
}
const search = (rooftops?: readonly string[]): Promise<Found> =>
  tool('search', { ...(rooftops === undefined ? {} : { rooftop_ids: rooftops }), page: { limit: 100 } });
const stateOf = async (rooftop: string, number: number): Promise<unknown> =>
  (await tool<{ freshness?: Freshness }>('get_vehicle', { rooftop_id: rooftop, vin: vinOf(number) })).freshness?.state;

describe('The freshness of what is published', () => {
  it.each([
    { rooftop: FAST, number: 1 },
    { rooftop: SLOW, number: 101 },
  ])('is current up to the very end of the time of $rooftop, and stale right after it', async ({ rooftop, number }) => {
    const end = IMPORTED + SLA_SECONDS[rooftop]! * 1000;
    for (const [at, state] of [
      [IMPORTED, 'current'],
      [end - 1, 'current'],
      [end, 'current'],
      [end + 1, 'stale'],
      [end + 1000, 'stale'],
      [end, 'current'],
    ] as const) {
      now = at;
      expect({ at, state: await stateOf(rooftop, number) }).toEqual({ at, state });
      const found = await search([rooftop]);
      expect(new Set(found.vehicles.map((v) => v.freshness.state))).toEqual(new Set([state]));
      expect(found.freshness).toMatchObject({
        state,
        observed_at: '2026-11-30T12:00:00Z',
        max_age_seconds: SLA_SECONDS[rooftop],
      });
    }
  });

  it('of a group is that of its stalest car, while each car keeps its own', async () => {
    now = IMPORTED + 900_001;
    const found = await search();
    expect(found.freshness.state).toBe('stale');
    const states = new Set(found.vehicles.map((v) => `${v.rooftop_id} ${v.freshness.state}`));
    expect(states).toEqual(new Set([`${FAST} stale`, `${SLOW} current`]));
    expect((await search([SLOW])).freshness.state).toBe('current');
  });

  it('never makes a feed an authority, whatever it says', async () => {
    for (const at of [IMPORTED, IMPORTED + 1000, IMPORTED + 10_000_000]) {
      now = at;
      const text = JSON.stringify(await search());
      expect(text).not.toContain('"authoritative"');
      expect(text).not.toContain('"human_verification_required":false');
      expect(text).toContain('"authority_status":"asserted"');
    }
  });

  it('of an observation is not renewed by reading it again', async () => {
    now = IMPORTED + 500_000;
    const [car] = (await search([FAST])).vehicles;
    expect(car?.freshness).toMatchObject({ observed_at: '2026-11-30T12:00:00Z', valid_until: '2026-11-30T12:15:00Z' });
  });
});

describe('A car that is gone', () => {
  const vins = async (rooftop: string): Promise<readonly string[]> =>
    (await search([rooftop])).vehicles.map((v) => v.vin);

  it('by an event is hidden as soon as the event is in', async () => {
    now = IMPORTED + 60_000;
    const event = {
      event_id: 'evt-1',
      rooftop_id: FAST,
      vin: vinOf(7),
      kind: 'sold',
      source_time: new Date(now).toISOString(),
    };
    const before = await search([FAST]);
    expect((await callAdmin(service, key, 'POST', 'unit-events', event)).json.data.effect).toBe('applied');
    await expect.poll(() => stateOf(FAST, 7)).toBeUndefined();
    expect(await vins(FAST)).not.toContain(vinOf(7));
    expect(await vins(FAST)).toHaveLength(before.vehicles.length - 1);
  });

  it('comes back with a file that observed it later', async () => {
    now = IMPORTED + 120_000;
    await importFile(FAST, csvOf([...range(1, 20), carLine(21)]));
    await expect.poll(() => vins(FAST)).toContain(vinOf(21));
    expect(await vins(FAST)).toContain(vinOf(7));
  });

  it('by its absence from the next file is no longer published', async () => {
    now = IMPORTED + 180_000;
    await importFile(FAST, csvOf(range(1, 19)));
    await expect.poll(() => vins(FAST)).not.toContain(vinOf(20));
    expect(await tool('get_vehicle', { rooftop_id: FAST, vin: vinOf(20) })).toMatchObject({
      code: 'dealeragent.resource.not_found',
    });
    expect(await stateOf(FAST, 1)).toBe('current');
  });
});
