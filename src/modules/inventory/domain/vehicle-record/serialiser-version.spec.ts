import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ListedUnit } from '../listed-unit.js';
import { SERIALISER_VERSION } from './serialiser-version.js';
import { serializeVehicle } from './serialize-vehicle.js';

/** A unit that says everything that can be published. */
const UNIT: ListedUnit = {
  rooftopId: 'roof.downtown',
  vin: '1HGCM82633A004352',
  stockNumber: 'S-1001',
  year: 2024,
  make: 'Honda',
  model: 'Accord',
  trim: 'EX',
  condition: 'used',
  vehicleType: 'car',
  bodyStyle: 'Sedan',
  exteriorColor: 'Blue',
  interiorColor: 'Grey',
  odometer: { value: 18_420, unit: 'mi' },
  odometerStatus: 'actual',
  fuelType: 'gasoline',
  drivetrain: 'fwd',
  transmission: 'Automatic',
  advertisedPrice: { amount_minor: 2_499_500, currency: 'USD' },
  conditionalAdjustments: [],
  availability: 'available',
  listingUrl: 'https://dealer.example/S-1001',
  imageUrls: ['https://dealer.example/S-1001.jpg'],
  features: ['Sunroof'],
  observedAt: Date.parse('2026-11-30T06:00:00Z'),
  stockedAt: '2026-10-14T10:00:00Z',
  stockedAtPrecision: 'second',
  firstListedAt: '2026-10-16T12:00:00Z',
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
  certificationType: 'not_certified',
  titleBrands: [],
  vinChecksum: 'passed',
};

/** The version, and what the sample looks like under it. */
const PINNED = { version: 2, sha256: '4ae341c6dfe09bd353a53723fa57ff8c458baf79abd942ed8612585557e9a252' };

it('writes the sample as its version says: a change of the output raises SERIALISER_VERSION', () => {
  const head = serializeVehicle(UNIT, {
    organizationId: 'org.example',
    vehicleId: 'veh.abc',
    rooftop: { inventorySlaSeconds: 900, requiredCharges: { status: 'none' }, publishInventoryAge: true },
    source: { feedName: 'nightly', sha256: 'ab'.repeat(32), line: 17 },
  });
  const sha256 = createHash('sha256').update(head).digest('hex');
  expect({ version: SERIALISER_VERSION, sha256 }).toEqual(PINNED);
});
