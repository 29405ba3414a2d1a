import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import type { RooftopSettings } from '../../src/modules/tenancy/index.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { DapSchemas, HAS_DAP_SCHEMAS } from '../support/dap-schemas.js';
import { vinOf } from '../support/feed-csv.js';
import { callTool } from '../support/mcp-http.js';
import type { ProtocolRow } from '../support/protocol-csv.js';
import { protocolCsv, protocolRow } from '../support/protocol-csv.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const GROUP = 'org.searched';
const OPEN = 'roof.open';
const SILENT = 'roof.silent';
const NORTH = 'roof.north';
const DAY = 86_400_000;
const ROOFTOPS: Readonly<Record<string, { readonly currency: string; readonly settings: Partial<RooftopSettings> }>> = {
  [OPEN]: { currency: 'USD', settings: { publish_inventory_age: true } },
  [SILENT]: { currency: 'USD', settings: { publish_inventory_age: false } },
  [NORTH]: { currency: 'CAD', settings: { publish_inventory_age: true } },
};

let service: TestService;
let key: string;

const stocked = (days: number): ProtocolRow => ({
  stocked_at: new Date(Date.now() - 60_000 - days * DAY - 3_600_000).toISOString(),
});
const carAt = (rooftop: string, number: number, more: ProtocolRow = {}): ProtocolRow =>
  protocolRow(number, rooftop, { organization_id: GROUP, ...more });

async function importRows(rooftop: string, rows: readonly ProtocolRow[]): Promise<void> {
  const feed = {
    feed_id: `feed.${rooftop}`,
    name: rooftop,
    profile: 'dealer-agent-inventory-csv/0.1',
    rooftops: { rooftop_keys: { [rooftop]: rooftop } },
    settings: {},
  };
  const created = await callAdmin(service, key, 'POST', 'feeds', feed);
  expect(created.status, created.text).toBe(201);
  const { json } = await callAdmin(service, key, 'POST', `feeds/feed.${rooftop}/files`, protocolCsv(rows));
  const state = async (): Promise<string> =>
    (await callAdmin(service, key, 'GET', `feed-runs/${json.data.run_id as string}`)).json.data.state as string;
  await vi.waitUntil(async () => (await state()) === 'published', { timeout: 30_000, interval: 100 });
}

beforeAll(async () => {
  service = await startTestService({ demo: false });
  const [first] = DEMO_GROUP.rooftops;
  const rooftops = Object.entries(ROOFTOPS).map(([rooftopId, own]) => ({ ...first!, rooftopId, ...own }));
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: GROUP, rooftops });
  key = `Bearer ${await createKey(service, GROUP, 'admin')}`;
  const report = { provider_id: 'com.carfax', provider_name: 'CARFAX', summary_sharing_authorized: false };
  await importRows(OPEN, [
    carAt(OPEN, 1, { ...stocked(47), certification_type: 'dealer_certified' }),
    carAt(OPEN, 2, {
      ...stocked(3),
      make: 'Ford',
      model: 'F-150',
      history_reports_json: JSON.stringify([{ ...report, status: 'restricted', access: 'restricted' }]),
    }),
    carAt(OPEN, 3, { condition: 'new', ...stocked(400) }),
    carAt(OPEN, 4),
  ]);
  await importRows(SILENT, [carAt(SILENT, 1, { ...stocked(47), advertised_price_minor: '1900000' })]);
  await importRows(NORTH, [carAt(NORTH, 9, { ...stocked(10), currency: 'CAD', make: 'Mercedes-Benz' })]);
});
afterAll(() => service.stop());

interface Found {
  readonly vehicles: readonly Record<string, any>[]; // eslint-disable-line @typescript-eslint/no-explicit-any -- documents of a published schema
  readonly facets: Readonly<Record<string, readonly { value: string; count: number }[]>>;
  readonly code?: string;
  readonly details?: { readonly field_errors?: readonly { readonly instance_location: string }[] };
}

async function search(more: object): Promise<Found> {
  const url = `${service.origin}/organizations/${GROUP}/mcp`;
  const answer = await callTool(url, 'dealeragent.inventory.search', { organization_id: GROUP, ...more });
  return answer.json.result.structuredContent as Found;
}
const inOrder = async (more: object): Promise<string[]> =>
  (await search(more)).vehicles.map((v) => `${(v['rooftop_id'] as string).slice(5)} ${v['stock_number'] as string}`);
/** Without a sort units come in the order of their ids, which are secret. */
const stocks = async (more: object): Promise<string[]> => (await inOrder(more)).sort();

describe('A search over a real port', () => {
  it('finds by days in stock what rooftops publish, and nothing of those that keep it to themselves', async () => {
    expect(await stocks({ filters: { inventory_age_min_days: 0 } })).toEqual(['north S9', 'open S1', 'open S2']);
    expect(await stocks({ filters: { inventory_age_min_days: 47, inventory_age_max_days: 47 } })).toEqual(['open S1']);
    expect(await stocks({ filters: { inventory_age_max_days: 46 } })).toEqual(['north S9', 'open S2']);
  });

  it('sorts by days in stock, unknown and withheld last in both directions', async () => {
    const sorted = async (order: string): Promise<string[][]> => {
      const found = await inOrder({ sort: { field: 'inventory_age_days', order } });
      return [found.slice(0, 3), found.slice(3, 5).sort(), found.slice(5)];
    };
    const unknown = [['open S3', 'open S4'], ['silent S1']];
    expect(await sorted('asc')).toEqual([['open S2', 'north S9', 'open S1'], ...unknown]);
    expect(await sorted('desc')).toEqual([['open S1', 'north S9', 'open S2'], ...unknown]);
  });

  it('filters history and certification among published summaries, which are in the records (DAP-UV-029)', async () => {
    const restricted = await search({ filters: { history_report_status: ['restricted'] } });
    expect(restricted.vehicles.map((v) => v['stock_number'] as string)).toEqual(['S2']);
    expect(restricted.vehicles[0]).toHaveProperty('used_vehicle.history_report_status', 'restricted');
    expect(await stocks({ filters: { certification_type: ['dealer_certified'] } })).toEqual(['open S1']);
  });

  it('counts no withheld summary', async () => {
    const { facets } = await search({});
    expect(facets['certification_type']).toEqual([
      { value: 'unknown', count: 2 },
      { value: 'dealer_certified', count: 1 },
    ]);
    expect(facets['availability']).toEqual([{ value: 'available', count: 6 }]);
    expect((await search({ rooftop_ids: [SILENT] })).facets['history_report_status']).toEqual([]);
  });

  it('refuses what no searched rooftop can answer (DAP-UV-028)', async () => {
    const asked = { rooftop_ids: [SILENT], filters: { inventory_age_min_days: 0 } };
    expect(await search(asked)).toMatchObject({ code: 'dealeragent.capability.unsupported' });
    const byPrice = await search({ sort: { field: 'advertised_price', order: 'asc' } });
    expect(byPrice.code).toBe('dealeragent.validation.invalid');
    expect(byPrice.details?.field_errors).toMatchObject([{ instance_location: '/sort/field' }]);
    expect(await inOrder({ rooftop_ids: [OPEN, SILENT], sort: { field: 'advertised_price', order: 'asc' } })).toEqual([
      'silent S1',
      'open S1',
      'open S2',
      'open S3',
      'open S4',
    ]);
  });

  it('forgives a letter and punctuation', async () => {
    expect(await stocks({ query: 'mercedse' })).toEqual(['north S9']);
    expect(await stocks({ query: 'f150' })).toEqual(['open S2']);
    expect(await stocks({ filters: { model: ['f 150'], make: ['FORD'] } })).toEqual(['open S2']);
  });

  it.skipIf(!HAS_DAP_SCHEMAS)(
    'shows both records of a VIN at two rooftops, marked, in the published schema',
    async () => {
      const found = await search({ filters: { vin: vinOf(1) } });
      expect(new DapSchemas().violations('dealeragent.inventory.search', found)).toEqual([]);
      const mark = 'org.forecourt.duplicate-vin';
      expect(found.vehicles).toMatchObject([
        {
          rooftop_id: OPEN,
          advertised_price: { amount: { amount_minor: 2_000_100 } },
          extensions: { [mark]: { other_rooftop_ids: [SILENT] } },
        },
        {
          rooftop_id: SILENT,
          advertised_price: { amount: { amount_minor: 1_900_000 } },
          extensions: { [mark]: { other_rooftop_ids: [OPEN] } },
        },
      ]);
      const one = { organization_id: GROUP, rooftop_id: SILENT, vin: vinOf(1) };
      const url = `${service.origin}/organizations/${GROUP}/mcp`;
      const { json } = await callTool(url, 'dealeragent.inventory.get_vehicle', one);
      expect(json.result.structuredContent).toEqual(found.vehicles[1]);
    },
  );
});
