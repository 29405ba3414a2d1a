import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../feed/normalise/clean-text.js';
import { readFeed } from '../feed/read-feed.js';
import type { RowOutcome } from '../feed/row-outcome.js';
import type { ListedUnit } from '../listed-unit.js';
import { vehicleOf } from '../vehicle-record/serialize-vehicle.js';
import type { Vehicle } from '../vehicle-schema.js';
import { PROTOCOL_CSV_HEADER, protocolCsvLine } from './write-protocol-csv.js';

const OBSERVED_AT = Date.parse('2026-11-30T06:00:00Z');
const UNIT: ListedUnit = {
  rooftopId: 'roof.a',
  vin: '1HGCM82633A004352',
  stockNumber: 'S-1001',
  year: 2024,
  make: 'Honda',
  model: 'Accord',
  condition: 'used',
  advertisedPrice: { amount_minor: 2_499_500, currency: 'USD' },
  conditionalAdjustments: [],
  availability: 'available',
  listingUrl: 'https://dealer.example/S-1001',
  imageUrls: [],
  features: [],
  observedAt: OBSERVED_AT,
  historyReports: [],
  titleBrands: [],
  vinChecksum: 'passed',
};

function lineOf(unit: ListedUnit): string | undefined {
  const vehicle = vehicleOf(unit, {
    organizationId: 'org.a',
    vehicleId: 'veh.a',
    rooftop: { inventorySlaSeconds: 900, requiredCharges: { status: 'unknown' }, publishInventoryAge: true },
    source: { feedName: 'nightly', sha256: 'ab'.repeat(32), line: 2 },
  }) as Vehicle;
  const { requiredCharges = 'unknown', conditionalAdjustments } = unit;
  // As it is served: members that are not known have gone.
  return protocolCsvLine({
    vehicle: JSON.parse(JSON.stringify(vehicle)) as Vehicle,
    requiredCharges,
    conditionalAdjustments,
  });
}

async function readBack(csv: string): Promise<readonly RowOutcome[]> {
  const bytes = {
    async *chunks(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from(csv));
    },
  };
  const { rows } = await readFeed(bytes, {
    organizationId: 'org.a',
    profile: 'auto',
    rooftops: { kind: 'by_key', keys: { 'roof.a': 'roof.a' } },
    settings: { currency: 'USD', timeZone: 'UTC' },
    receivedAt: OBSERVED_AT + 60_000,
  });
  const outcomes: RowOutcome[] = [];
  for await (const row of rows) outcomes.push(row);
  return outcomes;
}

/** Published text has been cleaned; what is left can be anything, also what a spreadsheet takes for a formula. */
const text = fc
  .string({ unit: fc.constantFrom(...Array.from('aB1 ,;"\'=+@-|é车\\\n')), minLength: 1, maxLength: 60 })
  .map(cleanText)
  .filter((cleaned) => /[a1]/.test(cleaned));
const money = fc.nat({ max: 1_000_000 }).map((amount_minor) => ({ amount_minor, currency: 'USD' }));
const anyUnit: fc.Arbitrary<ListedUnit> = fc
  .record(
    {
      trim: text,
      exteriorColor: text,
      interiorColor: text,
      bodyStyle: text,
      odometer: fc.record({ value: fc.nat(300_000), unit: fc.constantFrom('mi' as const, 'km' as const) }),
      condition: fc.constantFrom('new' as const, 'used' as const, 'certified' as const),
      vehicleType: fc.constantFrom('car' as const, 'suv' as const),
      requiredCharges: fc.array(
        fc.record({
          name: text,
          amount: money,
          payee: fc.constantFrom('dealer' as const, 'other' as const),
          includedInAdvertisedPrice: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
      conditionalAdjustments: fc.array(
        fc.record(
          {
            name: text,
            direction: fc.constantFrom('discount' as const, 'surcharge' as const),
            amount: money,
            eligibility: text,
            stacking: text,
          },
          { requiredKeys: ['name', 'direction'] },
        ),
        { maxLength: 3 },
      ),
      features: fc.uniqueArray(text, { maxLength: 4 }),
      imageUrls: fc.uniqueArray(fc.nat(99).map((n) => `https://img.example/${n}.jpg`)),
    },
    { requiredKeys: [] },
  )
  .map((members) => ({ ...UNIT, ...members }));

describe("The protocol's CSV", () => {
  it('is read back by the feed reader without loss of what it carries', async () => {
    await fc.assert(
      fc.asyncProperty(anyUnit, async (unit) => {
        const [outcome] = await readBack(PROTOCOL_CSV_HEADER + (lineOf(unit) ?? ''));
        expect(outcome).toMatchObject({ kind: 'unit' });
        expect(outcome?.kind === 'unit' ? outcome.unit : undefined).toMatchObject({ ...unit });
      }),
      { numRuns: 60 },
    );
  });

  it('keeps "unknown" and "none" of required charges apart', () => {
    const none = lineOf({ ...UNIT, requiredCharges: [] });
    expect(none).toContain(',USD,[],');
    expect(lineOf(UNIT)).toContain(',USD,,');
  });

  it.each<[string, Partial<ListedUnit>]>([
    ['a demo', { condition: 'demo' }],
    ['a unit whose page is not https', { listingUrl: 'http://dealer.example/1' }],
  ])('leaves out %s, which it has no words for', (_, members) => {
    expect(lineOf({ ...UNIT, ...members })).toBeUndefined();
  });

  it('leaves text alone that a spreadsheet would take for a formula', () => {
    expect(lineOf({ ...UNIT, trim: '=1+1' })).toContain(',=1+1,');
  });
});
