import { describe, expect, it } from 'vitest';
import type { DapCells } from '../../../../../test/fixtures/feeds/dap-row.js';
import { DAP_ROW, dapCsv } from '../../../../../test/fixtures/feeds/dap-row.js';
import { readQuarantined, readRows, readUnits } from '../../../../../test/fixtures/feeds/read-rows.js';
import { readingWith } from '../../../../../test/fixtures/feeds/reading.js';

const one = async (cells: DapCells = {}) => (await readUnits(dapCsv(cells)))[0]!;

describe('the normative CSV', () => {
  it('is read completely', async () => {
    const row = await one();
    expect(row.unit).toEqual({
      rooftopId: 'roof.north',
      dealerKey: 'roof.north',
      vin: '1HGCM82633A004352',
      vinChecksum: 'passed',
      stockNumber: 'S1',
      year: 2024,
      make: 'Honda',
      model: 'Accord',
      trim: 'EX-L',
      condition: 'used',
      titleBrands: [],
      certificationType: 'not_certified',
      vehicleType: 'car',
      bodyStyle: 'Sedan',
      exteriorColor: 'Lunar Rock',
      interiorColor: 'Black',
      odometer: { value: 18420, unit: 'mi' },
      advertisedPrice: { amount_minor: 1999500, currency: 'USD' },
      requiredCharges: [
        {
          name: 'Documentation fee',
          amount: { amount_minor: 49900, currency: 'USD' },
          payee: 'dealer',
          includedInAdvertisedPrice: false,
        },
      ],
      conditionalAdjustments: [
        {
          name: 'Military appreciation',
          direction: 'discount',
          amount: { amount_minor: 50000, currency: 'USD' },
          eligibility: 'verified service',
          stacking: 'rule_defined',
        },
      ],
      governmentChargesStatus: 'unknown',
      availability: 'available',
      listingUrl: 'https://north.dealer.example/inventory/s1',
      imageUrls: ['https://img.example/1.jpg', 'https://img.example/2.jpg'],
      features: ['Apple CarPlay', '20" Wheels'],
      observedAt: Date.parse('2026-11-30T05:00:00Z'),
      stockedAt: '2026-07-17T10:00:00Z',
      stockedAtPrecision: 'second',
      firstListedAt: '2026-07-19T12:00:00Z',
      historyReports: [
        {
          providerId: 'com.carfax',
          providerName: 'CARFAX',
          status: 'available',
          access: 'public_link',
          reportUrl: 'https://history.example/1',
          summarySharingAuthorized: false,
        },
      ],
    });
    expect(row.flags).toEqual([]);
    expect(row.columns).toMatchObject({
      advertisedPrice: 'advertised_price_minor',
      vin: 'vin',
      rooftopId: 'rooftop_id',
    });
  });

  it('takes empty optional cells for unknown: never zero, none or false', async () => {
    const required = [
      'organization_id',
      'rooftop_id',
      'vin',
      'stock_number',
      'year',
      'make',
      'model',
      'condition',
      'listing_url',
      'observed_at',
    ];
    const empty = Object.fromEntries(
      Object.keys(DAP_ROW)
        .filter((name) => !required.includes(name))
        .map((name) => [name, '']),
    );
    const { unit, withheld, columns } = await one(empty);
    expect(withheld).toBe('price_unknown');
    expect(unit).toMatchObject({
      availability: 'unknown',
      imageUrls: [],
      features: [],
      historyReports: [],
      conditionalAdjustments: [],
    });
    for (const member of ['requiredCharges', 'odometer', 'advertisedPrice', 'stockedAt', 'certificationType']) {
      expect(unit).not.toHaveProperty(member);
      expect(columns).not.toHaveProperty(member);
    }
  });

  it('tells no charges from charges unknown', async () => {
    expect((await one({ required_dealer_charges_json: '[]' })).unit.requiredCharges).toEqual([]);
    expect((await one({ required_dealer_charges_json: '' })).unit.requiredCharges).toBeUndefined();
  });

  it.each<[string, DapCells, string, string]>([
    ['a letter that no VIN has', { vin: '1HGCO82633A004352' }, 'vin_invalid', 'vin'],
    ['a short VIN', { vin: '1HGCM82633A00435' }, 'vin_invalid', 'vin'],
    ['a negative price', { advertised_price_minor: '-100' }, 'price_invalid', 'advertised_price_minor'],
    ['a price that is no integer', { advertised_price_minor: '28995.50' }, 'price_invalid', 'advertised_price_minor'],
    ['another currency', { currency: 'EUR' }, 'currency_unexpected', 'currency'],
    ['a negative odometer', { odometer_value: '-12' }, 'odometer_invalid', 'odometer_value'],
    ['an odometer in leagues', { odometer_unit: 'leagues' }, 'odometer_unit_invalid', 'odometer_unit'],
    [
      'a JSON cell that breaks off',
      { required_dealer_charges_json: '[{"label":"Doc' },
      'json_invalid',
      'required_dealer_charges_json',
    ],
    [
      'a charge without payee',
      { required_dealer_charges_json: '[{"label":"Doc","amount_minor":1}]' },
      'json_invalid',
      'required_dealer_charges_json',
    ],
    [
      'a charge that is no object',
      { required_dealer_charges_json: '[1]' },
      'json_invalid',
      'required_dealer_charges_json',
    ],
    [
      'a negative adjustment',
      { conditional_adjustments_json: '[{"name":"A","direction":"discount","amount_minor":-1}]' },
      'price_invalid',
      'conditional_adjustments_json',
    ],
    [
      'an adjustment without direction',
      { conditional_adjustments_json: '[{"name":"A"}]' },
      'json_invalid',
      'conditional_adjustments_json',
    ],
    ['history that is no list', { history_reports_json: '{}' }, 'json_invalid', 'history_reports_json'],
    ['images that are no list', { image_urls_json: 'https://img.example/1.jpg' }, 'json_invalid', 'image_urls_json'],
    ['features that are no strings', { features_json: '[1]' }, 'json_invalid', 'features_json'],
    ['an unknown condition', { condition: 'pre-loved' }, 'condition_unknown', 'condition'],
    ['a condition of other formats', { condition: 'U' }, 'condition_unknown', 'condition'],
    ['an unknown availability', { availability_status: 'maybe' }, 'availability_unknown_value', 'availability_status'],
    ['a listing that is not https', { listing_url: 'http://d.example/1' }, 'listing_url_invalid', 'listing_url'],
    ['an observation in the future', { observed_at: '2026-12-03T05:00:00Z' }, 'observed_at_future', 'observed_at'],
    ['an observation without offset', { observed_at: '2026-11-30T05:00:00' }, 'observed_at_invalid', 'observed_at'],
    ['no observation', { observed_at: '' }, 'required_missing', 'observed_at'],
    ['an impossible stock date', { stocked_at: '2026-02-30T00:00:00Z' }, 'date_invalid', 'stocked_at'],
    ['a stock date without offset', { stocked_at: '2026-02-03' }, 'date_invalid', 'stocked_at'],
    ['no make', { make: '' }, 'required_missing', 'make'],
    ['a year in letters', { year: '20x4' }, 'year_invalid', 'year'],
    ['a year to come', { year: '2028' }, 'year_invalid', 'year'],
    ['another organization', { organization_id: 'org.other' }, 'organization_mismatch', 'organization_id'],
    ['a rooftop that is not bound', { rooftop_id: 'roof.south' }, 'rooftop_unknown', 'rooftop_id'],
    ['no rooftop', { rooftop_id: '' }, 'required_missing', 'rooftop_id'],
    ['a model name without end', { model: 'x'.repeat(121) }, 'text_too_long', 'model'],
  ])('quarantines %s', async (_, cells, reason, column) => {
    const [row] = await readQuarantined(dapCsv(cells));
    expect(row?.problems).toEqual([{ reason, column }]);
  });

  it('reads an observation that is a little ahead of our clock', async () => {
    expect((await one({ observed_at: '2026-11-30T06:05:00Z' })).unit.observedAt).toBe(
      Date.parse('2026-11-30T06:05:00Z'),
    );
  });

  it('quarantines a value without a unit unless the feed sets one', async () => {
    const cells = { odometer_unit: '' };
    expect((await one(cells)).unit.odometer).toEqual({ value: 18420, unit: 'mi' });
    const unset = {
      organizationId: 'org.example',
      profile: 'auto',
      rooftops: { kind: 'single', rooftopId: 'roof.north' },
      receivedAt: Date.parse('2026-11-30T06:00:00Z'),
      settings: { currency: 'USD', timeZone: 'UTC' },
    } as const;
    expect(await readQuarantined(dapCsv(cells), unset)).toMatchObject([{ reason: 'odometer_unit_missing' }]);
  });

  it('withholds what is unavailable and keeps what is reserved', async () => {
    expect(await one({ availability_status: 'unavailable' })).toMatchObject({ withheld: 'unavailable' });
    const reserved = await one({ availability_status: 'reserved' });
    expect([reserved.withheld, reserved.unit.availability]).toEqual([undefined, 'on_hold']);
  });

  it('binds rooftops by their ids or by configured keys, and by nothing that an object inherits', async () => {
    const reading = readingWith({
      rooftops: { kind: 'by_key', keys: { 'roof.north': 'roof.north', S: 'roof.south' } },
    });
    const text = dapCsv({}, { rooftop_id: 'roof.south', vin: '1M8GDM9AXKP042788' }, { rooftop_id: 'constructor' });
    const rows = await readRows(text, reading);
    expect(rows.map((row) => (row.kind === 'unit' ? row.unit.rooftopId : row.reason))).toEqual([
      'roof.north',
      'roof.south',
      'rooftop_unknown',
    ]);
  });

  it('gives equal fingerprints to equal cells only, however they are quoted', async () => {
    const text = dapCsv({}, {}, { trim: 'EX' }).replace('Lunar Rock', '"Lunar Rock"');
    const prints = (await readUnits(text)).map((row) => row.fingerprint);
    expect(prints[0]).toBe(prints[1]);
    expect(prints[2]).not.toBe(prints[0]);
  });
});
