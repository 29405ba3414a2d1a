import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vinOf } from '../../support/feed-csv.js';
import type { CsvRow } from '../../support/dap-world.js';
import { csv, dapRow, DapWorld, DOWNTOWN, ORGANIZATION, UNITS } from '../../support/dap-world.js';
import { needs, TOOL } from './checks.js';

const ODD = 'roof.odd';
const organization = { organization_id: ORGANIZATION };
const FUTURE = vinOf(27);
const NAIVE = vinOf(28);
const UNSHARED = vinOf(31);

const used = (vin: string, cells: CsvRow): CsvRow =>
  dapRow({
    rooftop_id: ODD,
    vin,
    stock_number: vin.slice(-6),
    condition: 'used',
    odometer_unit: 'mi',
    odometer_value: '9',
    ...cells,
  });
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

const UNSHARED_REPORT = {
  provider_id: 'com.carfax',
  provider_name: 'CARFAX',
  status: 'available',
  access: 'public_link',
  summary_sharing_authorized: false,
  summary: { accident_status: 'no_events_reported' },
};

let world: DapWorld;
beforeAll(async () => {
  world = await DapWorld.open([ODD]);
  await world.importFile({
    id: 'feed.odd',
    rooftop: ODD,
    profile: 'dealer-agent-inventory-csv/0.1',
    content: csv([
      used(FUTURE, { stocked_at: inDays(3) }),
      used(NAIVE, { stocked_at: inDays(-30).slice(0, 19) }),
      used(UNSHARED, { stocked_at: inDays(-30), history_reports_json: JSON.stringify([UNSHARED_REPORT]) }),
    ]),
  });
});
afterAll(() => world.stop());

const details = async (rooftop: string, vin: string) =>
  world.call(TOOL.used, { ...organization, rooftop_id: rooftop, vin });
const vinsOf = (body: { vehicles: { vin: string }[] }): string[] => body.vehicles.map((vehicle) => vehicle.vin);

describe('Public DAP checks 25 to 34: used vehicles', () => {
  it('DAP 25: the manifest lists the used-vehicle profile as one of its own', async (context) => {
    await needs(context, world, TOOL.used);
    const { body } = await world.call(TOOL.manifest, {});
    expect(body.capabilities).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ profile: 'dealeragent.used-vehicle.read/0.1', tools: [TOOL.used] }),
      ]),
    );
  });

  it('DAP 26: the age in stock is 47 days, counted from the stock date, dated, with a source', async (context) => {
    await needs(context, world, TOOL.used);
    const { body } = await details(DOWNTOWN, UNITS.stale.vin);
    expect(body.inventory_tenure).toMatchObject({ age_days: 47, age_basis: 'stocked_at' });
    expect(Date.parse(body.inventory_tenure.age_as_of as string)).toBeLessThanOrEqual(Date.now());
    expect(body.inventory_tenure.provenance.sources.length).toBeGreaterThan(0);
  });

  it.each([
    { name: 'DAP 27: a stock date in the future makes no age', vin: FUTURE },
    { name: 'DAP 28: a stock time without offset makes no age', vin: NAIVE },
  ])('$name', async ({ vin }) => {
    const { http } = await world.call(TOOL.vehicle, { ...organization, rooftop_id: ODD, vin });
    expect(http.text).not.toContain('age_days');
    const answer = await details(ODD, vin);
    expect(answer.isError).toBe(true);
  });

  it('DAP 29: two providers stay apart, and their disagreement is shown unresolved', async (context) => {
    await needs(context, world, TOOL.used);
    const { body } = await details(DOWNTOWN, UNITS.stale.vin);
    const reports = body.history_reports as { provider_id: string; summary: { accident_status: string } }[];
    expect(reports.map((r) => [r.provider_id, r.summary.accident_status])).toEqual([
      ['com.carfax', 'no_events_reported'],
      ['com.experian.autocheck', 'events_reported'],
    ]);
    const accident = (body.discrepancies as { field: string; source_names: string[]; status: string }[]).find((d) =>
      d.field.includes('accident_status'),
    );
    expect(accident?.status).toBe('unresolved');
    expect(accident?.source_names).toEqual(expect.arrayContaining(['CARFAX', 'AutoCheck']));
  });

  it('DAP 30: nothing says "accident-free"', async () => {
    const texts = [
      (await details(DOWNTOWN, UNITS.stale.vin)).http.text,
      (await world.call(TOOL.search, organization)).http.text,
    ];
    for (const text of texts) expect(text.toLowerCase()).not.toMatch(/accident[-_ ]free|clean (?:history|title)/);
  });

  it('DAP 31: a summary whose sharing is not authorized does not leave', async (context) => {
    await needs(context, world, TOOL.used);
    const { body } = await details(ODD, UNSHARED);
    expect(body.history_reports).toMatchObject([{ provider_id: 'com.carfax', summary_sharing_authorized: false }]);
    expect(body.history_reports[0]).not.toHaveProperty('summary');
  });

  it('DAP 32: a new vehicle has no used-vehicle details', async (context) => {
    await needs(context, world, TOOL.used);
    expect((await details(DOWNTOWN, UNITS.fresh.vin)).body.code).toBe('dealeragent.resource.not_found');
  });

  it('DAP 33: a lowest odometer of 29,000 km selects the unit with 18,420 miles alone', async () => {
    const filters = { odometer_min: { value: 29_000, unit: 'km' } };
    const { body } = await world.call(TOOL.search, { ...organization, filters });
    expect(vinsOf(body as { vehicles: { vin: string }[] })).toEqual([UNITS.stale.vin]);
  });

  it('DAP 34: age, conflicting history and a sort by age return the one unit, with its summary', async (context) => {
    await needs(context, world, TOOL.used);
    const { body } = await world.call(TOOL.search, {
      ...organization,
      filters: { inventory_age_min_days: 40, history_report_status: ['conflicting'] },
      sort: { field: 'inventory_age_days', order: 'desc' },
    });
    expect(vinsOf(body as { vehicles: { vin: string }[] })).toEqual([UNITS.stale.vin]);
    expect(body.vehicles[0].used_vehicle).toMatchObject({ history_report_status: 'conflicting' });
  });
});
