import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vinOf } from '../../support/feed-csv.js';
import type { CsvRow, ImportedRun, ToolReply } from '../../support/dap-world.js';
import { csv, dapRow, DapWorld, ORGANIZATION } from '../../support/dap-world.js';
import { needs, TOOL } from './checks.js';

const DAP_CSV = 'dealer-agent-inventory-csv/0.1';
const WEBSITE = 'website-export';
const HEADER =
  'VIN,StockNumber,NewUsed,Year,Make,Model,Price,Status,Mileage,MileageUnit,VDPUrl,LastUpdated,CarfaxUrl,StockedDate';

let world: DapWorld;
/** Every check has a rooftop of its own: the newest file of a rooftop is its whole inventory. */
const CHECKS = [44, 45, 46, 47, 48, 49] as const;
const roofOf = (check: number): string => `roof.check-${check}`;
beforeAll(async () => {
  world = await DapWorld.open(CHECKS.map(roofOf));
});
afterAll(() => world.stop());

const importing = (check: number, profile: string, content: string, settings: object = {}): Promise<ImportedRun> =>
  world.importFile({ id: `feed.check-${check}`, rooftop: roofOf(check), profile, content, settings });
const find = (check: number, vin: string): Promise<ToolReply> =>
  world.call(TOOL.vehicle, { organization_id: ORGANIZATION, rooftop_id: roofOf(check), vin });
const website = (cells: string): string => `${HEADER}\n${cells}\n`;
const normative = (check: number, number: number, cells: CsvRow = {}): CsvRow =>
  dapRow({ rooftop_id: roofOf(check), vin: vinOf(number), stock_number: `S${number}`, ...cells });
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

describe('Public DAP checks 44 to 49: feeds', () => {
  it('DAP 44: a row of a website export maps to minor units, availability and condition', async () => {
    const vin = vinOf(44);
    const cells = `${vin},S44,N,2026,Example,Northstar,"$42,875.00",In Stock,12,mi,https://cars.example/44,${ago(2)},,`;
    await importing(44, WEBSITE, website(cells));
    expect((await find(44, vin)).body).toMatchObject({
      condition: 'new',
      advertised_price: { amount: { amount_minor: 4_287_500, currency: 'USD' } },
      availability: { status: 'available', authority_status: 'asserted' },
    });
  });

  it('DAP 45: two different rows of one VIN at a rooftop are both rejected', async () => {
    const twice = [normative(45, 45), normative(45, 45, { stock_number: 'S45b' })];
    const run = await importing(45, DAP_CSV, csv([...twice, normative(45, 450)]));
    expect(await world.quarantined(run.runId)).toHaveLength(2);
    expect((await find(45, vinOf(45))).body.code).toBe('dealeragent.resource.not_found');
    expect((await find(45, vinOf(450))).isError).toBe(false);
  });

  it('DAP 46: fractions of a minor unit are rejected', async () => {
    const broken = normative(46, 46, { advertised_price_minor: '4287500.5' });
    const run = await importing(46, DAP_CSV, csv([broken, normative(46, 460)]));
    expect(await world.quarantined(run.runId)).toMatchObject([{ column: 'advertised_price_minor' }]);
    expect((await find(46, vinOf(46))).body.code).toBe('dealeragent.resource.not_found');
    expect((await find(46, vinOf(460))).isError).toBe(false);
  });

  it('DAP 47: used-vehicle columns and links to providers are read, and nothing of a report is shared', async (context) => {
    const vin = vinOf(47);
    const cells = `${vin},S47,U,2024,Example,Harbor,"$31,995.00",In Stock,18420,mi,https://cars.example/47,${ago(2)},https://carfax.example/47,${ago(14_400)}`;
    await importing(47, WEBSITE, website(cells));
    expect((await find(47, vin)).body).toMatchObject({ condition: 'used', odometer: { value: 18_420, unit: 'mi' } });
    await needs(context, world, TOOL.used);
    const { body } = await world.call(TOOL.used, { organization_id: ORGANIZATION, rooftop_id: roofOf(47), vin });
    expect(body.history_reports).toMatchObject([{ provider_id: 'com.carfax', summary_sharing_authorized: false }]);
    expect(body.history_reports[0]).not.toHaveProperty('summary');
  });

  it('DAP 48: an odometer without a unit is rejected', async () => {
    const run = await importing(48, DAP_CSV, csv([normative(48, 48, { odometer_value: '18420' }), normative(48, 480)]));
    expect(await world.quarantined(run.runId)).toMatchObject([
      { column: expect.stringContaining('odometer') as string },
    ]);
    expect((await find(48, vinOf(480))).isError).toBe(false);
  });

  it('DAP 49: a configured unit of the rooftop applies where the row has none', async () => {
    await importing(49, DAP_CSV, csv([normative(49, 49, { odometer_value: '18420' })]), { odometer_unit: 'km' });
    expect((await find(49, vinOf(49))).body.odometer).toMatchObject({ value: 18_420, unit: 'km' });
  });
});
