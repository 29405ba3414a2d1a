import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { dapCsv } from '../fixtures/feeds/dap-row.js';
import type { DapCells } from '../fixtures/feeds/dap-row.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { DapSchemas, HAS_DAP_SCHEMAS } from '../support/dap-schemas.js';
import { vinOf } from '../support/feed-csv.js';
import type { ToolAnswer, ToolClient } from '../support/mcp-clients.js';
import { MCP_CLIENTS } from '../support/mcp-clients.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

/** The used-vehicle checks of DAP (digest §8.3, 25 to 32) over a real port, by an official client. */
const ORGANIZATION = 'org.used';
const OPEN = 'roof.open';
const SILENT = 'roof.silent';
const DETAILS = 'dealeragent.inventory.get_used_vehicle_details';
const VEHICLE = 'dealeragent.inventory.get_vehicle';
const NOW = Date.parse('2026-09-01T14:00:00Z');
const OBSERVED = '2026-09-01T14:00:00Z';

const [DISPUTED, FUTURE, UNDATED, UNREAD, NEW, UNSHARED, ABSENT] = [1, 2, 3, 4, 5, 6, 99].map(vinOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

const summary = (accident_status: string): object => ({
  accident_status,
  damage_status: 'unknown',
  title_brand_status: 'unknown',
  odometer_consistency: 'unknown',
  owner_count_status: 'unknown',
});
const report = (provider_id: string, provider_name: string, accidents: string, sharing = true): object => ({
  provider_id,
  provider_name,
  status: 'available',
  access: 'public_link',
  report_url: 'https://history.example/1',
  summary_sharing_authorized: sharing,
  summary: summary(accidents),
});

const car = (number: number, rooftop: string, cells: DapCells = {}): DapCells => ({
  organization_id: ORGANIZATION,
  rooftop_id: rooftop,
  vin: vinOf(number),
  stock_number: `S${number}`,
  observed_at: OBSERVED,
  stocked_at: '2026-07-16T10:00:00Z',
  first_public_listing_at: '',
  history_reports_json: '[]',
  ...cells,
});
const fileOf = (rooftop: string): string =>
  dapCsv(
    car(1, rooftop, {
      history_reports_json: JSON.stringify([
        report('com.carfax', 'CARFAX', 'no_events_reported'),
        report('com.experian.autocheck', 'AutoCheck', 'events_reported'),
      ]),
    }),
    car(2, rooftop, { stocked_at: '2026-09-02T10:00:00Z' }),
    car(3, rooftop, { stocked_at: '' }),
    car(4, rooftop, { odometer_value: '', odometer_unit: '' }),
    car(5, rooftop, { condition: 'new', certification_type: '' }),
    car(6, rooftop, {
      history_reports_json: JSON.stringify([report('com.carfax', 'CARFAX', 'events_reported', false)]),
    }),
  );

let service: TestService;
let client: ToolClient;
let now = NOW;
let staff: string;

beforeAll(async () => {
  service = await startTestService({ demo: false, clock: { now: () => now } });
  const rooftops = [OPEN, SILENT].map((rooftopId) => ({
    ...DEMO_GROUP.rooftops[0]!,
    rooftopId,
    settings: { ...DEMO_GROUP.rooftops[0]!.settings, publish_inventory_age: rooftopId === OPEN },
  }));
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: ORGANIZATION, rooftops });
  const key = `Bearer ${await createKey(service, ORGANIZATION, 'admin')}`;
  for (const rooftop of [OPEN, SILENT]) {
    const feed = {
      feed_id: `feed.${rooftop}`,
      name: rooftop,
      profile: 'dealer-agent-inventory-csv/0.1',
      rooftops: { rooftop_id: rooftop },
    };
    expect((await callAdmin(service, key, 'POST', 'feeds', feed)).status).toBe(201);
    const { json } = await callAdmin(service, key, 'POST', `feeds/feed.${rooftop}/files`, fileOf(rooftop));
    const run = `feed-runs/${json.data.run_id as string}`;
    const state = async (): Promise<unknown> => (await callAdmin(service, key, 'GET', run)).json.data.state;
    await vi.waitUntil(async () => (await state()) === 'published', { timeout: 30_000, interval: 100 });
  }
  staff = key;
  client = await MCP_CLIENTS.at(-1)!.open(`${service.origin}/organizations/${ORGANIZATION}/mcp`);
  await vi.waitUntil(async () => !(await ask(VEHICLE, SILENT, DISPUTED)).isError, { timeout: 10_000 });
});
afterAll(async () => {
  await client.close();
  await service.stop();
});

const ask = (tool: string, rooftop: string, vin: string): Promise<ToolAnswer> =>
  client.call(tool, { organization_id: ORGANIZATION, rooftop_id: rooftop, vin });
const detailsOf = async (vin: string): Promise<ToolAnswer['structured']> => {
  const { isError, structured } = await ask(DETAILS, OPEN, vin);
  expect(isError).toBe(false);
  return structured;
};
/** What of a failure does not name this one failure. */
const failure = ({ isError, structured }: ToolAnswer): object => ({
  isError,
  ...(structured as object),
  error_id: '',
  trace_id: '',
  created_at: '',
});

describe('Used vehicles', () => {
  it('are a profile of their own in the manifest', async () => {
    const { structured } = await client.call('dealeragent.discovery.get_manifest', {});
    expect(JSON.stringify(structured)).toContain('dealeragent.used-vehicle.read/0.1');
  });

  it('say their age as a dated statement with basis and source, in both answers alike', async () => {
    const details = await detailsOf(DISPUTED);
    expect(details.inventory_tenure).toMatchObject({
      stocked_at: '2026-07-16T10:00:00Z',
      age_days: 47,
      age_as_of: OBSERVED,
      age_basis: 'stocked_at',
      provenance: { sources: [{ source_name: OPEN, authority: 'dealer_asserted' }], authority_status: 'asserted' },
    });
    const { structured } = await ask(VEHICLE, OPEN, DISPUTED);
    expect(structured.used_vehicle).toEqual({
      inventory_tenure: details.inventory_tenure,
      history_report_status: 'conflicting',
      certification_type: 'not_certified',
    });
  });

  it('keep providers apart and list their differing accident status as unresolved', async () => {
    const details = await detailsOf(DISPUTED);
    const reports = details.history_reports as readonly {
      provider_name: string;
      summary: { accident_status: string };
    }[];
    expect(reports.map((r) => [r.provider_name, r.summary.accident_status])).toEqual([
      ['CARFAX', 'no_events_reported'],
      ['AutoCheck', 'events_reported'],
    ]);
    expect(details.discrepancies).toMatchObject([
      { field: 'accident_status', source_names: ['CARFAX', 'AutoCheck'], status: 'unresolved' },
    ]);
    expect(JSON.stringify(details)).not.toMatch(/accident[\s-]*free/i);
  });

  it('show no summary that may not be shared', async () => {
    const [shown] = (await detailsOf(UNSHARED)).history_reports;
    expect(shown).toMatchObject({ provider_name: 'CARFAX', summary_sharing_authorized: false });
    expect(shown).not.toHaveProperty('summary');
  });

  it('have no details when new, undated, dated in the future or without odometer: as if they were absent', async () => {
    const absent = failure(await ask(DETAILS, OPEN, ABSENT));
    expect(absent).toMatchObject({ isError: true, code: 'dealeragent.resource.not_found' });
    for (const vin of [NEW, UNDATED, FUTURE, UNREAD]) {
      expect(failure(await ask(DETAILS, OPEN, vin))).toEqual(absent);
      expect((await ask(VEHICLE, OPEN, vin)).isError).toBe(false);
    }
    for (const vin of [NEW, UNDATED, FUTURE])
      expect((await ask(VEHICLE, OPEN, vin)).structured).not.toHaveProperty('used_vehicle');
  });

  it('of a rooftop that withholds its inventory age say nothing of it anywhere', async () => {
    const absent = failure(await ask(DETAILS, SILENT, ABSENT));
    expect(failure(await ask(DETAILS, SILENT, DISPUTED))).toEqual(absent);
    const { text, structured } = await ask(VEHICLE, SILENT, DISPUTED);
    expect(structured).not.toHaveProperty('used_vehicle');
    expect(text).not.toMatch(/stocked|2026-07-16|age_days|age_as_of/);
  });

  it('go stale as a whole, in the vehicle and in the details', async () => {
    const statesOf = async (tool: string): Promise<unknown> =>
      new Set((await ask(tool, OPEN, DISPUTED)).text.match(/"state": ?"\w+"/g)?.map((s) => s.replace(' ', '')));
    expect([await statesOf(VEHICLE), await statesOf(DETAILS)]).toEqual([
      new Set(['"state":"current"']),
      new Set(['"state":"current"']),
    ]);
    now = NOW + 86_400_001;
    expect([await statesOf(VEHICLE), await statesOf(DETAILS)]).toEqual([
      new Set(['"state":"stale"']),
      new Set(['"state":"stale"']),
    ]);
    expect((await detailsOf(DISPUTED)).inventory_tenure.age_days).toBe(47);
    now = NOW;
  });

  it.skipIf(!HAS_DAP_SCHEMAS)('answer as the published schemas describe', async () => {
    const schemas = new DapSchemas();
    for (const vin of [DISPUTED, UNSHARED]) {
      expect(schemas.violations(DETAILS, await detailsOf(vin))).toEqual([]);
      expect(schemas.violations(VEHICLE, (await ask(VEHICLE, OPEN, vin)).structured)).toEqual([]);
    }
  });
});

describe('What the dealer reviewed', () => {
  const FIELD = 'accident_status';
  let path: string;
  beforeAll(async () => {
    const { structured } = await ask(VEHICLE, OPEN, DISPUTED);
    path = `rooftops/${OPEN}/vehicles/${structured.vehicle_id as string}`;
  });
  const call = (method: string, what: string, body?: object, key = staff) =>
    callAdmin(service, key, method, `${path}/${what}`, body);
  const open = async (): Promise<Record<string, unknown>> =>
    ((await call('GET', 'discrepancies')).json.data.discrepancies as Record<string, unknown>[])[0]!;
  const review = (changes: object = {}, key = staff) =>
    call(
      'POST',
      'discrepancy-reviews',
      {
        field: FIELD,
        content_hash: 'ab'.repeat(32),
        status: 'dealer_reviewed',
        reason: 'Read both reports.',
        ...changes,
      },
      key,
    );
  const shownStatus = async (): Promise<unknown> => (await detailsOf(DISPUTED)).discrepancies[0].status;

  it('is said of what the sources say now, stays with all of it, and can be taken back', async () => {
    const before = await detailsOf(DISPUTED);
    const { content_hash } = await open();
    expect(await open()).toMatchObject({ ...before.discrepancies[0], status: 'unresolved', review: null });
    const made = await review({ content_hash });
    expect([made.status, made.json.data.status, made.json.data.review.version]).toEqual([201, 'dealer_reviewed', 1]);
    await expect.poll(shownStatus, { timeout: 20_000 }).toBe('dealer_reviewed');
    const after = await detailsOf(DISPUTED);
    expect(after.discrepancies).toEqual([{ ...before.discrepancies[0], status: 'dealer_reviewed' }]);
    if (HAS_DAP_SCHEMAS) expect(new DapSchemas().violations(DETAILS, after)).toEqual([]);
    const vehicle = await ask(VEHICLE, OPEN, DISPUTED);
    expect(vehicle.structured.used_vehicle?.history_report_status).toBe('conflicting');
    expect(JSON.stringify([after, vehicle.structured])).not.toContain('Read both reports');
    const back = await review({ content_hash, status: 'unresolved', reason: 'Not yet.' });
    expect(back.json.data).toMatchObject({ status: 'unresolved', review: { version: 2, reason: 'Not yet.' } });
    await expect.poll(shownStatus, { timeout: 20_000 }).toBe('unresolved');
  });

  it('is refused for other statements than those that were shown, and where sources agree', async () => {
    const stale = await review();
    expect([stale.status, stale.json.error.details.reason]).toEqual([400, 'precondition_failed']);
    const { content_hash } = await open();
    expect((await review({ content_hash, field: 'owner_count' })).json.error.details.reason).toBe('not_found');
    for (const [changes, pointer] of [
      [{ field: 'price' }, '/field'],
      [{ status: 'provider_corrected' }, '/status'],
      [{ reason: ' ' }, '/reason'],
      [{ author: 'me' }, '/author'],
    ] as const) {
      const answer = await review({ content_hash, ...changes });
      expect(answer.json.error.details.violations[0].pointer).toBe(pointer);
    }
    const auditor = `Bearer ${await createKey(service, ORGANIZATION, 'auditor')}`;
    expect((await review({ content_hash }, auditor)).status).toBe(403);
    expect((await call('GET', 'discrepancies', undefined, auditor)).status).toBe(200);
  });

  it('is open again when a source says something else', async () => {
    const { content_hash } = await open();
    await review({ content_hash });
    await expect.poll(shownStatus, { timeout: 20_000 }).toBe('dealer_reviewed');
    const renamed = fileOf(OPEN).replaceAll('AutoCheck', 'Another Check');
    const { json } = await callAdmin(service, staff, 'POST', `feeds/feed.${OPEN}/files`, renamed);
    const state = async (): Promise<unknown> =>
      (await callAdmin(service, staff, 'GET', `feed-runs/${json.data.run_id as string}`)).json.data.state;
    await expect.poll(state, { timeout: 30_000 }).toBe('published');
    await expect.poll(shownStatus, { timeout: 20_000 }).toBe('unresolved');
    expect(await open()).toMatchObject({ status: 'unresolved', review: { status: 'dealer_reviewed', content_hash } });
  });
});
