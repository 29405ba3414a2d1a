import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRequest, anyScope, NOW, ROOFTOPS } from '../../../../../test/support/arbitrary-search.js';
import { anyUsedUnit } from '../../../../../test/support/arbitrary-used-unit.js';
import { vehicleIdOf } from '../../../../kernel/ids.js';
import type { ListedUnit } from '../listed-unit.js';
import { protocolCsvLine } from '../protocol-csv/write-protocol-csv.js';
import { normaliseQuery } from '../read-model/normalise-query.js';
import { OrganizationInventory } from '../read-model/organization-inventory.js';
import { SegmentBuilder } from '../read-model/segment-builder.js';
import type { SegmentRow } from '../read-model/segment-row.js';
import { usedVehicleDetails } from '../used-vehicle/used-vehicle-details.js';
import type { Vehicle } from '../vehicle-schema.js';
import { serializeVehicle, VEHICLE_TAILS } from './serialize-vehicle.js';
import type { VehicleContext } from './vehicle-context.js';
import type { WithheldUnitField } from './withhold-fields.js';
import { shownRow } from './withhold-fields.js';

/** Every field that may be withheld, with other values of the members that carry it. */
const OTHER_VALUES: Readonly<Record<WithheldUnitField, fc.Arbitrary<Partial<ListedUnit>>>> = {
  inventory_age: fc.record({ stockedAt: fc.constantFrom('2026-01-02T00:00:00Z', '2026-08-30T00:00:00Z') }),
  odometer: fc.record({
    odometer: fc.record({ value: fc.nat(99_000), unit: fc.constantFrom('mi', 'km') }),
    odometerStatus: fc.constantFrom('actual', 'not_actual'),
  }),
  stock_number: fc.record({ stockNumber: fc.constantFrom('P1', 'p-123', 'HONDA7', 'Z') }),
  body_style: fc.record({ bodyStyle: fc.constantFrom('Sedan', 'Coupe') }),
  exterior_color: fc.record({ exteriorColor: fc.constantFrom('Red', 'Blue') }),
  interior_color: fc.record({ interiorColor: fc.constantFrom('Red', 'Blue') }),
  powertrain: fc.record({ fuelType: fc.constantFrom('diesel', 'gasoline'), transmission: fc.constantFrom('A', 'M') }),
  features: fc.record({ features: fc.subarray(['Sunroof', 'Tow bar']) }),
  media: fc.record({ imageUrls: fc.subarray(['https://a.example/1', 'https://a.example/2']) }),
  listing_url: fc.record({ listingUrl: fc.constantFrom('https://a.example/x', 'https://a.example/y') }),
};
const FIELDS = Object.keys(OTHER_VALUES) as WithheldUnitField[];

const contextOf = (unit: ListedUnit, withheld: readonly WithheldUnitField[]): VehicleContext => ({
  organizationId: 'org.example',
  vehicleId: vehicleIdOf(new Uint8Array(16), unit.vin),
  rooftop: {
    inventorySlaSeconds: 86_400,
    requiredCharges: { status: 'none' },
    publishInventoryAge: !withheld.includes('inventory_age'),
    withheldFields: withheld,
  },
  source: { feedName: 'nightly', sha256: 'ab'.repeat(32), line: 17 },
});

function rowOf(unit: ListedUnit, withheld: readonly WithheldUnitField[]): SegmentRow {
  const context = contextOf(unit, withheld);
  const row: SegmentRow = {
    ...unit,
    vehicleId: context.vehicleId,
    trim: unit.trim ?? null,
    vehicleType: unit.vehicleType ?? null,
    bodyStyle: unit.bodyStyle ?? null,
    priceMinor: unit.advertisedPrice?.amount_minor ?? 0,
    currency: 'USD',
    odometerValue: unit.odometer?.value ?? null,
    odometerUnit: unit.odometer?.unit ?? null,
    head: serializeVehicle(unit, context),
  };
  return shownRow(row, withheld);
}

async function inventoryOf(
  units: readonly ListedUnit[],
  withheld: readonly WithheldUnitField[],
): Promise<OrganizationInventory> {
  const options = { inventorySlaSeconds: 86_400, snapshotId: 'snap.1', feedName: 'nightly' };
  const builder = new SegmentBuilder(ROOFTOPS[0] as string, options);
  for (const unit of units) builder.add(rowOf(unit, withheld));
  return OrganizationInventory.assemble('org.example', 1, [await builder.build()]);
}

const vehicleOf = (unit: ListedUnit, withheld: readonly WithheldUnitField[]): Vehicle =>
  JSON.parse(serializeVehicle(unit, contextOf(unit, withheld)) + VEHICLE_TAILS.current) as Vehicle;
const csvOf = (unit: ListedUnit, withheld: readonly WithheldUnitField[]): string | undefined =>
  protocolCsvLine({ vehicle: vehicleOf(unit, withheld), requiredCharges: [], conditionalAdjustments: [] });

/** Some units, and the same ones in which one withheld field says something else. */
const twins = (field: WithheldUnitField): fc.Arbitrary<readonly (readonly [ListedUnit, ListedUnit])[]> =>
  fc
    .array(fc.tuple(anyUsedUnit, OTHER_VALUES[field], OTHER_VALUES[field]), { minLength: 1, maxLength: 6 })
    .map((drafts) =>
      drafts.map(([unit, own, other], i) => {
        const vin = `2HGFC2F59JH00000${i}`;
        return [
          { ...unit, vin, ...own },
          { ...unit, vin, ...other },
        ] as const;
      }),
    );

describe.each(FIELDS)('What is withheld of %s', (field) => {
  it('is in no answer: units that differ in it alone are told apart by none', () => {
    fc.assert(
      fc.property(twins(field), fc.subarray(FIELDS), (pairs, more) => {
        const withheld = [...new Set([field, ...more])];
        for (const [one, other] of pairs) {
          expect(vehicleOf(one, withheld)).toEqual(vehicleOf(other, withheld));
          expect(csvOf(one, withheld)).toBe(csvOf(other, withheld));
          const details = [one, other].map((unit) => usedVehicleDetails(unit, contextOf(unit, withheld), NOW, 'trc_1'));
          expect(details[0]).toEqual(details[1]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is found, sorted and counted by no search', async () => {
    await fc.assert(
      fc.asyncProperty(
        twins(field),
        fc.array(anyRequest, { minLength: 1, maxLength: 6 }),
        anyScope,
        async (pairs, requests, scope) => {
          const [one, other] = await Promise.all(
            [0, 1].map((side) =>
              inventoryOf(
                pairs.map((p) => p[side] as ListedUnit),
                [field],
              ),
            ),
          );
          for (const request of requests) {
            const answers = [one, other].map((inventory) =>
              inventory?.search(normaliseQuery(request, scope), NOW, null),
            );
            expect(answers[0]?.vehicleIds).toEqual(answers[1]?.vehicleIds);
            expect(answers[0]?.total).toBe(answers[1]?.total);
            expect(answers[0]?.facets?.plain).toEqual(answers[1]?.facets?.plain);
            expect(answers[0]?.next).toEqual(answers[1]?.next);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is what tells them apart where nothing is withheld', () => {
    const [one] = fc.sample(twins(field), { numRuns: 1, seed: 7 }) as [readonly (readonly [ListedUnit, ListedUnit])[]];
    expect(one.length).toBeGreaterThan(0);
    const differs = fc
      .sample(twins(field), { numRuns: 50, seed: 7 })
      .flat()
      .some(([a, b]) => JSON.stringify(vehicleOf(a, [])) !== JSON.stringify(vehicleOf(b, [])));
    expect(differs).toBe(true);
  });
});

it('a stock number that is withheld names no unit', async () => {
  const [unit] = fc.sample(anyUsedUnit, 1) as [ListedUnit];
  const listed = { ...unit, rooftopId: ROOFTOPS[0] as string };
  const selector = { stockNumber: listed.stockNumber };
  expect((await inventoryOf([listed], [])).find(ROOFTOPS[0] as string, selector)).toBe(0);
  expect((await inventoryOf([listed], ['stock_number'])).find(ROOFTOPS[0] as string, selector)).toBe('absent');
});
