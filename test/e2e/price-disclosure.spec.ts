import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import type { AdjustmentRule } from '../../src/kernel/schema/dap-pricing.js';
import { rfc3339 } from '../../src/kernel/time.js';
import type { RooftopSettings } from '../../src/modules/tenancy/index.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { DapSchemas, HAS_DAP_SCHEMAS } from '../support/dap-schemas.js';
import { vinOf } from '../support/feed-csv.js';
import type { ToolAnswer, ToolClient } from '../support/mcp-clients.js';
import { MCP_CLIENTS } from '../support/mcp-clients.js';
import type { ProtocolRow } from '../support/protocol-csv.js';
import { protocolCsv, protocolRow } from '../support/protocol-csv.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const DISCLOSURE = 'dealeragent.pricing.get_disclosure';
const SEARCH = 'dealeragent.inventory.search';
const VEHICLE = 'dealeragent.inventory.get_vehicle';
const PRICES = 'org.price-parts';
const LISTED = 'roof.listed';
const VERIFIED = 'roof.verified';
const YEN = 'roof.yen';
const DINAR = 'roof.dinar';

const fee = (currency: string): RooftopSettings['required_charges'] => ({
  status: 'listed',
  charges: [
    {
      name: 'Documentation fee',
      amount: { amount_minor: 36_700, currency },
      payee: 'dealer',
      included_in_advertised_price: false,
    },
  ],
});
const FINANCED_AND_VERIFIED: AdjustmentRule = {
  adjustment_id: 'adjustment.verified-finance',
  name: 'Captive finance bonus',
  direction: 'discount',
  amount_status: 'known',
  amount: { amount_minor: 100_000, currency: 'USD' },
  criteria: [{ criterion: 'payment_mode', operator: 'verified', value: 'finance', evidence_status: 'required' }],
  stacking: { group: 'finance', combinability: 'exclusive' },
};
const ROOFTOPS: Readonly<Record<string, { readonly currency: string; readonly settings: Partial<RooftopSettings> }>> = {
  [LISTED]: { currency: 'USD', settings: { required_charges: fee('USD') } },
  [VERIFIED]: { currency: 'USD', settings: { conditional_adjustments: [FINANCED_AND_VERIFIED] } },
  // Charges in dollars over cars in yen: what the settings endpoint refuses, and an older group may still have.
  [YEN]: { currency: 'JPY', settings: { required_charges: fee('USD') } },
  [DINAR]: { currency: 'KWD', settings: { required_charges: { status: 'none' } } },
};

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  const [first] = DEMO_GROUP.rooftops;
  const rooftops = Object.entries(ROOFTOPS).map(([rooftopId, own]) => ({ ...first!, rooftopId, ...own }));
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: PRICES, rooftops });
  key = `Bearer ${await createKey(service, PRICES, 'admin')}`;
  await importRows(LISTED, [
    carAt(LISTED, 1),
    carAt(LISTED, 2, { required_dealer_charges_json: '[]', government_charges_status: 'calculated' }),
    carAt(LISTED, 3, { advertised_price_minor: '' }),
    carAt(LISTED, 4, { advertised_price_minor: '' }),
    carAt(LISTED, 5, { government_charges_status: 'estimated' }),
    carAt(LISTED, 6, { availability_status: 'unavailable' }),
  ]);
  await importRows(VERIFIED, [carAt(VERIFIED, 11)]);
  await importRows(YEN, [carAt(YEN, 21, { currency: 'JPY', advertised_price_minor: '2995000' })]);
  await importRows(DINAR, [carAt(DINAR, 31, { currency: 'KWD', advertised_price_minor: '9450125' })]);
});
afterAll(() => service.stop());

const carAt = (rooftop: string, number: number, more: ProtocolRow = {}): ProtocolRow =>
  protocolRow(number, rooftop, { organization_id: PRICES, ...more });

async function importRows(rooftop: string, rows: readonly ProtocolRow[]): Promise<void> {
  const feed = {
    feed_id: `feed.${rooftop}`,
    name: rooftop,
    profile: 'dealer-agent-inventory-csv/0.1',
    rooftops: { rooftop_keys: { [rooftop]: rooftop } },
    settings: { guards: { bad_row_share: 1 } },
  };
  const created = await callAdmin(service, key, 'POST', 'feeds', feed);
  expect(created.status, created.text).toBe(201);
  const { json } = await callAdmin(service, key, 'POST', `feeds/feed.${rooftop}/files`, protocolCsv(rows));
  const run = (): ReturnType<typeof callAdmin> =>
    callAdmin(service, key, 'GET', `feed-runs/${json.data.run_id as string}`);
  const busy = async (): Promise<boolean> => /queued|running/.test((await run()).json.data.state as string);
  await vi.waitUntil(async () => !(await busy()), { timeout: 30_000, interval: 100 });
  const ended = await run();
  expect(ended.json.data.state, ended.text).toBe('published');
}

const withheld = (query = '', authorization = key): ReturnType<typeof callAdmin> =>
  callAdmin(service, authorization, 'GET', `inventory/withheld${query}`);

interface WithheldCar {
  readonly vin: string;
  readonly vehicle_id: string;
  readonly stock_number: string;
  readonly reason: string;
}

const withheldCars = async (): Promise<readonly WithheldCar[]> =>
  (await withheld()).json.data.units as readonly WithheldCar[];
const withheldId = async (number: number): Promise<string | undefined> =>
  (await withheldCars()).find((car) => car.vin === vinOf(number))?.vehicle_id;

describe.each(MCP_CLIENTS)('A price asked for with the official $client', (official) => {
  let demo: ToolClient;
  let prices: ToolClient;
  beforeAll(async () => {
    demo = await official.open(`${service.origin}/organizations/${service.organizationId}/mcp`);
    prices = await official.open(`${service.origin}/organizations/${PRICES}/mcp`);
  });
  afterAll(async () => {
    await demo.close();
    await prices.close();
  });

  const idOf = async (rooftop: string, number: number): Promise<string> => {
    const request = { organization_id: PRICES, rooftop_id: rooftop, vin: vinOf(number) };
    return (await prices.call(VEHICLE, request)).structured.vehicle_id as string;
  };
  const disclose = async (rooftop: string, number: number, more: object = {}): Promise<ToolAnswer> =>
    prices.call(DISCLOSURE, {
      organization_id: PRICES,
      rooftop_id: rooftop,
      vehicle_id: await idOf(rooftop, number),
      ...more,
    });

  it.each(['roof.downtown', 'roof.lakeside', 'roof.westside'])(
    'has four parts for every demo car of %s',
    async (rooftop) => {
      const found = await demo.call(SEARCH, {
        organization_id: service.organizationId,
        rooftop_ids: [rooftop],
        page: { limit: 5 },
      });
      for (const { vehicle_id, advertised_price } of found.structured.vehicles) {
        const { isError, structured, text } = await demo.call(DISCLOSURE, {
          organization_id: service.organizationId,
          rooftop_id: rooftop,
          vehicle_id,
        });
        expect(isError, text).toBe(false);
        expect(structured.advertised_price).toEqual(advertised_price);
        expect(structured.conditional_adjustments.length).toBeGreaterThan(0);
        expect(structured.government_charges).toEqual({ status: 'unknown' });
        expect(structured.uncertainty.status).toBe('unknown');
        expect(structured).not.toHaveProperty('price');
        expect(JSON.parse(text)).toEqual(structured);
        if (HAS_DAP_SCHEMAS) expect(new DapSchemas().violations(DISCLOSURE, structured)).toEqual([]);
      }
    },
  );

  it('takes the charges of the rooftop where the row is silent, and the row’s own where it is not', async () => {
    const [silent, none] = [await disclose(LISTED, 1), await disclose(LISTED, 2)];
    expect(silent.structured.required_dealer_charges).toMatchObject([
      {
        name: 'Documentation fee',
        amount: { amount_minor: 36_700, currency: 'USD' },
        required: true,
        provenance: { sources: [{ source_name: 'rooftop settings' }] },
      },
    ]);
    expect(silent.structured.advertised_price.includes_required_dealer_charges).toBe(false);
    expect(none.structured.required_dealer_charges).toEqual([]);
    expect(none.structured.advertised_price.includes_required_dealer_charges).toBe(true);
    expect(none.structured.disclosure_completeness.components.required_dealer_charges_itemized).toBe(true);
  });

  it.each([
    [2, /as calculated without an authoritative calculation/],
    [5, /as estimated without a source/],
  ])('takes no word of a feed for government charges (car %i)', async (number, reason) => {
    const { structured } = await disclose(LISTED, number);
    expect(structured.government_charges).toEqual({ status: 'unknown' });
    expect(structured.uncertainty.status).toBe('unknown');
    expect(structured.uncertainty.reason).toMatch(reason);
    expect(structured.disclosure_completeness.components.government_charges_classified).toBe(false);
  });

  it('is exact in a currency with three decimals', async () => {
    const { structured } = await disclose(DINAR, 31);
    expect(structured.advertised_price.amount).toEqual({ amount_minor: 9_450_125, currency: 'KWD' });
  });

  it('leaves out what the place and the way of paying rule out, and nothing else', async () => {
    const found = await demo.call(SEARCH, {
      organization_id: service.organizationId,
      rooftop_ids: ['roof.westside'],
      page: { limit: 1 },
    });
    const { vehicle_id } = found.structured.vehicles[0] as { vehicle_id: string };
    const shown = async (more: object): Promise<readonly string[]> => {
      const request = { organization_id: service.organizationId, rooftop_id: 'roof.westside', vehicle_id, ...more };
      const { structured } = await demo.call(DISCLOSURE, request);
      const adjustments = structured.conditional_adjustments as { adjustment_id: string }[];
      return adjustments.map((a) => a.adjustment_id).filter((id) => /financed|oregon/.test(id));
    };
    const [financed, oregon] = ['adjustment.financed', 'adjustment.oregon-delivery'];
    expect(await shown({})).toEqual([financed, oregon]);
    expect(await shown({ payment_mode: 'cash' })).toEqual([oregon]);
    expect(await shown({ payment_mode: 'finance' })).toEqual([financed, oregon]);
    expect(await shown({ jurisdiction: { country: 'US', subdivision: 'US-WA' } })).toEqual([financed]);
    expect(await shown({ jurisdiction: { country: 'US', subdivision: 'US-WA' }, payment_mode: 'lease' })).toEqual([]);
  });

  it('is incomplete for a car without a price, and nothing of the car is told', async () => {
    const vehicle_id = await withheldId(3);
    const answer = await prices.call(DISCLOSURE, { organization_id: PRICES, rooftop_id: LISTED, vehicle_id });
    expect(answer.isError).toBe(true);
    expect(answer.structured).toMatchObject({ code: 'dealeragent.pricing.incomplete', retryable: false });
    expect(answer.text).not.toMatch(/amount_minor|1HG|veh\./);
    if (HAS_DAP_SCHEMAS) expect(new DapSchemas().violations('error', answer.structured)).toEqual([]);
  });

  it('is incomplete where its parts are in two currencies', async () => {
    const { structured } = await disclose(YEN, 21);
    expect(structured).toMatchObject({ code: 'dealeragent.pricing.incomplete', retryable: false });
  });

  it('is not given for a way of paying that claims what nobody here can verify', async () => {
    const claimed = await disclose(VERIFIED, 11, { payment_mode: 'finance' });
    expect(claimed.isError).toBe(true);
    expect(claimed.structured).toMatchObject({ code: 'dealeragent.pricing.eligibility_unverified', retryable: false });
    if (HAS_DAP_SCHEMAS) expect(new DapSchemas().violations('error', claimed.structured)).toEqual([]);
    expect((await disclose(VERIFIED, 11)).structured.conditional_adjustments).toMatchObject([
      { adjustment_id: 'adjustment.verified-finance' },
    ]);
    expect((await disclose(VERIFIED, 11, { payment_mode: 'cash' })).structured.conditional_adjustments).toEqual([]);
  });

  it('is told what is wrong with its arguments, without the value', async () => {
    const { structured, text } = await prices.call(DISCLOSURE, {
      organization_id: PRICES,
      rooftop_id: LISTED,
      vin: vinOf(1),
      payment_mode: 'Sekret-Value',
      jurisdiction: { subdivision: 'Sekret-Value' },
    });
    expect(structured.code).toBe('dealeragent.validation.invalid');
    const violations = structured.details.field_errors as { instance_location: string; keyword: string }[];
    expect(violations.map((v) => `${v.instance_location} ${v.keyword}`).toSorted()).toEqual([
      '/jurisdiction/country required',
      '/jurisdiction/subdivision pattern',
      '/payment_mode enum',
      '/vehicle_id required',
      '/vin additionalProperties',
    ]);
    expect(text).not.toContain('Sekret-Value');
  });

  it.each([
    ['a car that nobody has', LISTED, 'veh.nowhere'],
    ['a rooftop that nobody has', 'roof.nowhere', 'veh.nowhere'],
  ])('is not found for %s', async (_, rooftop_id, vehicle_id) => {
    const answer = await prices.call(DISCLOSURE, { organization_id: PRICES, rooftop_id, vehicle_id });
    expect(answer.structured).toMatchObject({ code: 'dealeragent.resource.not_found', retryable: false });
    expect(answer.text).not.toContain('nowhere');
  });

  it('is not found under another rooftop, for a car withheld for another reason, or in another organization', async () => {
    const units = await withheldCars();
    const unavailable = units.find((u) => u.reason === 'unavailable')?.vehicle_id;
    const unpriced = units.find((u) => u.reason === 'price_unknown')?.vehicle_id;
    expect([unavailable, unpriced]).not.toContain(undefined);
    for (const [client, organization_id, rooftop_id, vehicle_id] of [
      [prices, PRICES, VERIFIED, await idOf(LISTED, 1)],
      [prices, PRICES, VERIFIED, unpriced],
      [prices, PRICES, LISTED, unavailable],
      [demo, service.organizationId, LISTED, unpriced],
      [demo, PRICES, LISTED, unpriced],
    ] as const) {
      const { structured } = await client.call(DISCLOSURE, { organization_id, rooftop_id, vehicle_id });
      expect(structured).toMatchObject({ code: 'dealeragent.resource.not_found' });
    }
  });

  it('leaves cars that are withheld out of everything else', async () => {
    const units = await withheldCars();
    const found = await prices.call(SEARCH, { organization_id: PRICES, page: { limit: 100 } });
    const vins = (found.structured.vehicles as { vin: string }[]).map((v) => v.vin);
    expect(vins.toSorted()).toEqual([1, 2, 5, 11, 21, 31].map(vinOf).toSorted());
    for (const { vin, vehicle_id, stock_number } of units)
      for (const selector of [{ vin }, { vehicle_id }, { stock_number }]) {
        const request = { organization_id: PRICES, rooftop_id: LISTED, ...selector };
        expect((await prices.call(VEHICLE, request)).structured.code).toBe('dealeragent.resource.not_found');
      }
  });
});

describe('The report of withheld cars', () => {
  it('names rooftop, id, VIN, stock number and reason', async () => {
    const { status, json } = await withheld();
    expect(status).toBe(200);
    const units = json.data.units as { vin: string; vehicle_id: string }[];
    expect(units.map((u) => u.vin).toSorted()).toEqual([3, 4, 6].map(vinOf).toSorted());
    expect(units.find((u) => u.vin === vinOf(3))).toEqual({
      rooftop_id: LISTED,
      vehicle_id: expect.stringMatching(/^veh\.[a-z2-7]{25}$/) as string,
      vin: vinOf(3),
      stock_number: 'S3',
      reason: 'price_unknown',
      observed_at: expect.stringMatching(/Z$/) as string,
    });
    expect(json.data.next_cursor).toBeNull();
  });

  it('is paged by vehicle id, each car once, and can be narrowed', async () => {
    const seen: string[] = [];
    for (let after: string | null = '', pages = 0; after !== null && pages < 9; pages++) {
      const { json } = await withheld(`?limit=1${after === '' ? '' : `&cursor=${after}`}`);
      seen.push(...(json.data.units as { vehicle_id: string }[]).map((u) => u.vehicle_id));
      after = json.data.next_cursor as string | null;
    }
    expect(seen).toHaveLength(3);
    expect(seen).toEqual(seen.toSorted());
    expect((await withheld('?reason=unavailable')).json.data.units).toHaveLength(1);
    expect((await withheld(`?rooftop_id=${VERIFIED}`)).json.data.units).toEqual([]);
  });

  it('is for admin, compliance and auditor keys of the organization only', async () => {
    for (const role of ['admin', 'compliance', 'auditor'] as const)
      expect((await withheld('', `Bearer ${await createKey(service, PRICES, role)}`)).status).toBe(200);
    expect((await withheld('', `Bearer ${await createKey(service, PRICES, 'app')}`)).status).toBe(403);
    const foreign = await withheld('', `Bearer ${await createKey(service, service.organizationId, 'auditor')}`);
    expect(JSON.stringify(foreign.json)).not.toContain(LISTED);
  });

  it.each(['?limit=0', '?limit=many', '?reason=ugly', '?rooftop_id=No!', '?color=red'])('refuses %s', async (query) => {
    expect((await withheld(query)).status).toBe(400);
  });

  it('loses a car whose price an event brings, and its disclosure is then complete', async () => {
    const vehicle_id = await withheldId(4);
    const event = {
      event_id: 'evt-price',
      rooftop_id: LISTED,
      vin: vinOf(4),
      kind: 'price',
      source_time: new Date().toISOString(),
      price: { amount_minor: 2_499_500, currency: 'USD' },
    };
    const applied = await callAdmin(service, key, 'POST', 'unit-events', event);
    expect(applied.json.data.effect, applied.text).toBe('applied');
    expect(JSON.stringify((await withheld()).json)).not.toContain(vinOf(4));
    const client = await MCP_CLIENTS[0]!.open(`${service.origin}/organizations/${PRICES}/mcp`);
    const ask = async (): Promise<unknown> =>
      (await client.call(DISCLOSURE, { organization_id: PRICES, rooftop_id: LISTED, vehicle_id })).structured
        .advertised_price?.amount;
    await expect.poll(ask).toEqual({ amount_minor: 2_499_500, currency: 'USD' });
    const disclosed = await client.call(DISCLOSURE, { organization_id: PRICES, rooftop_id: LISTED, vehicle_id });
    expect(disclosed.structured.provenance.sources[0]).toEqual({
      ...{ source_name: 'unit event', authority: 'dealer_asserted' },
      observed_at: rfc3339(Date.parse(event.source_time)),
    });
    await client.close();
  });
});
