import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CERTIFICATION_TYPES } from '../used-vehicle/used-vehicle-vocabulary.js';
import type { ListedUnit, RequiredCharge } from '../listed-unit.js';
import type { Vehicle } from '../vehicle-schema.js';
import {
  AVAILABILITY_STATUSES,
  CONDITIONS,
  DRIVETRAINS,
  FUEL_TYPES,
  Vehicle as VehicleSchema,
  VEHICLE_TYPES,
} from '../vehicle-schema.js';
import { serializeVehicle, VEHICLE_TAILS } from './serialize-vehicle.js';
import type { RequiredChargePolicy, VehicleContext } from './vehicle-context.js';
import { checkedVehicleHead } from './checked-vehicle-head.js';
import { markStale } from './mark-stale.js';

const OBSERVED_AT = Date.parse('2026-11-30T06:00:00Z');

const unit: ListedUnit = {
  rooftopId: 'roof.downtown',
  vin: '1HGCM82633A004352',
  stockNumber: 'S-1001',
  year: 2024,
  make: 'Honda',
  model: 'Accord',
  condition: 'used',
  advertisedPrice: { amount_minor: 2_499_500, currency: 'USD' },
  listPrice: { amount_minor: 2_799_500, currency: 'USD' },
  conditionalAdjustments: [],
  availability: 'available',
  imageUrls: [],
  features: [],
  description: 'A secret description',
  observedAt: OBSERVED_AT,
  historyReports: [],
  titleBrands: [],
  vinChecksum: 'passed',
};

function contextWith(
  requiredCharges: RequiredChargePolicy = { status: 'unknown' },
  feedName = 'nightly',
): VehicleContext {
  return {
    organizationId: 'org.example',
    vehicleId: 'veh.abc',
    rooftop: { inventorySlaSeconds: 900, requiredCharges, publishInventoryAge: true },
    source: { feedName, sha256: 'ab'.repeat(32), line: 17 },
  };
}

const published = (of: ListedUnit, context = contextWith()): Vehicle =>
  JSON.parse(serializeVehicle(of, context) + VEHICLE_TAILS.current) as Vehicle;

const charge = (included: boolean): RequiredCharge => ({
  name: 'Documentation',
  amount: { amount_minor: 89_900, currency: 'USD' },
  payee: 'dealer',
  includedInAdvertisedPrice: included,
});

const text = (max: number): fc.Arbitrary<string> => fc.string({ unit: 'grapheme', minLength: 1, maxLength: max / 8 });
const url = fc
  .tuple(fc.constantFrom('https', 'http', 'HTTPS'), fc.nat(999))
  .map(([s, n]) => `${s}://img.example/${n}.jpg`);
const anyUnit: fc.Arbitrary<ListedUnit> = fc
  .record(
    {
      trim: text(120),
      vehicleType: fc.constantFrom(...VEHICLE_TYPES),
      bodyStyle: text(80),
      exteriorColor: text(80),
      interiorColor: text(80),
      odometer: fc.record({ value: fc.nat(), unit: fc.constantFrom('mi' as const, 'km' as const) }),
      odometerStatus: fc.constantFrom('actual', 'not_actual', 'exceeds_mechanical_limits', 'exempt', 'unknown'),
      fuelType: fc.constantFrom(...FUEL_TYPES),
      drivetrain: fc.constantFrom(...DRIVETRAINS),
      transmission: text(120),
      requiredCharges: fc.array(fc.boolean().map(charge)),
      listingUrl: url,
      imageUrls: fc.array(url),
      features: fc.array(text(200)),
      condition: fc.constantFrom(...CONDITIONS),
      availability: fc.constantFrom(...AVAILABILITY_STATUSES),
      make: text(100),
      stockedAt: fc.constantFrom('2026-10-01T09:30:00-05:00', '2026-11-30T06:00:00Z', '2027-01-01T00:00:00Z'),
      stockedAtPrecision: fc.constantFrom('day' as const, 'second' as const),
      firstListedAt: fc.constantFrom('2026-10-03T00:00:00-05:00', '2027-01-01T00:00:00Z'),
      certificationType: fc.constantFrom(...CERTIFICATION_TYPES),
    },
    { requiredKeys: [] },
  )
  .map((members) => ({ ...unit, ...members }));

describe('serializeVehicle', () => {
  it('ends where the state begins', () => {
    const head = serializeVehicle(unit, contextWith());
    expect(head.endsWith('"state":"')).toBe(true);
    expect(published(unit).freshness.state).toBe('current');
    expect((JSON.parse(head + VEHICLE_TAILS.stale) as Vehicle).freshness.state).toBe('stale');
  });

  it('is valid under our own vehicle schema for any unit', () => {
    fc.assert(
      fc.property(anyUnit, (of) => {
        expect(checkedVehicleHead(of, contextWith())).toEqual({ head: serializeVehicle(of, contextWith()) });
      }),
    );
  });

  it('writes members in the order of the schema', () => {
    const order = Object.keys(VehicleSchema.properties);
    fc.assert(
      fc.property(anyUnit, (of) => {
        const members = Object.keys(published(of));
        expect(members).toEqual(order.filter((name) => members.includes(name)));
      }),
    );
  });

  it('publishes only https URLs, and numbers the images that remain', () => {
    const of = { ...unit, listingUrl: 'http://x.example/1', imageUrls: ['http://x.example/a', 'https://x.example/b'] };
    expect(published(of).listing_url).toBeUndefined();
    expect(published(of).media).toEqual([{ type: 'image', url: 'https://x.example/b', position: 0 }]);
    expect(published({ ...of, imageUrls: ['http://x.example/a'] }).media).toBeUndefined();
    expect(published({ ...of, listingUrl: 'https://x.example/1' }).listing_url).toBe('https://x.example/1');
  });

  it('says that required charges are included only when all are known to be', () => {
    const claims = (of: Partial<ListedUnit>, policy: RequiredChargePolicy): boolean =>
      published({ ...unit, ...of }, contextWith(policy)).advertised_price.includes_required_dealer_charges;
    expect(claims({}, { status: 'unknown' })).toBe(false);
    expect(claims({}, { status: 'none' })).toBe(true);
    expect(claims({}, { status: 'listed' })).toBe(false);
    expect(claims({}, { status: 'listed', charges: [charge(true)] })).toBe(true);
    expect(claims({}, { status: 'listed', charges: [charge(true), charge(false)] })).toBe(false);
    expect(claims({ requiredCharges: [] }, { status: 'unknown' })).toBe(true);
    expect(claims({ requiredCharges: [charge(false)] }, { status: 'none' })).toBe(false);
    expect(claims({ requiredCharges: [charge(true)] }, { status: 'unknown' })).toBe(true);
  });

  it('asserts availability for the service level and asks for human verification', () => {
    expect(published(unit).availability).toEqual({
      status: 'available',
      authority_status: 'asserted',
      observed_at: '2026-11-30T06:00:00Z',
      valid_until: '2026-11-30T06:15:00Z',
      human_verification_required: true,
    });
    expect(published(unit).freshness).toEqual({
      observed_at: '2026-11-30T06:00:00Z',
      valid_until: '2026-11-30T06:15:00Z',
      max_age_seconds: 900,
      state: 'current',
    });
  });

  it('names feed, line and file digest as its one dealer-asserted source', () => {
    expect(published(unit).provenance).toEqual({
      sources: [
        {
          source_name: 'nightly',
          source_record_id: 'line:17',
          authority: 'dealer_asserted',
          observed_at: '2026-11-30T06:00:00Z',
          content_digest: `sha256:${'ab'.repeat(32)}`,
        },
      ],
      authority_status: 'asserted',
    });
  });

  it('bounds the source name by characters', () => {
    const context = contextWith({ status: 'none' }, '🚗'.repeat(200));
    expect(published(unit, context).provenance.sources[0]?.source_name).toBe('🚗'.repeat(128));
    expect(checkedVehicleHead(unit, context)).toEqual({ head: serializeVehicle(unit, context) });
  });

  it('leaves list price and description behind', () => {
    const head = serializeVehicle({ ...unit, odometer: { value: 29_000, unit: 'km' } }, contextWith());
    expect(head).not.toContain('secret');
    expect(head).not.toContain('2799500');
  });

  it.each([
    ['not_actual', 'not_actual'],
    ['exempt', 'unknown'],
  ] as const)('says of an odometer that is %s: %s', (odometerStatus, status) => {
    const odometer = { value: 29_000, unit: 'km' as const };
    expect(published({ ...unit, odometer, odometerStatus }).odometer).toEqual({ ...odometer, status });
    expect(published({ ...unit, odometer }).odometer).toEqual(odometer);
  });

  it('says how long a used unit has been in stock, as a dated statement with basis and source', () => {
    const of: ListedUnit = {
      ...unit,
      stockedAt: '2026-10-14T00:00:00-05:00',
      stockedAtPrecision: 'day',
      firstListedAt: '2026-10-15T00:00:00-05:00',
    };
    const source = {
      source_name: 'nightly',
      source_record_id: 'line:17',
      authority: 'dealer_asserted',
      observed_at: '2026-11-30T06:00:00Z',
    };
    expect(published(of).used_vehicle).toEqual({
      inventory_tenure: {
        stocked_at: '2026-10-14T00:00:00-05:00',
        first_public_listing_at: '2026-10-15T00:00:00-05:00',
        age_days: 47,
        age_as_of: '2026-11-30T06:00:00Z',
        age_basis: 'stocked_at',
        provenance: {
          sources: [source],
          authority_status: 'asserted',
          transformations: ['stocked_at was a date without time; taken as midnight at the rooftop'],
        },
        freshness: published(of).freshness,
      },
      history_report_status: 'unknown',
      certification_type: 'unknown',
    });
  });

  it('has no used-vehicle summary without a stocked date that is known, past and published', () => {
    const stockedAt = '2026-10-14T00:00:00-05:00';
    expect(published({ ...unit, stockedAt }).used_vehicle).toBeDefined();
    expect(published(unit).used_vehicle).toBeUndefined();
    expect(published({ ...unit, stockedAt, condition: 'new' }).used_vehicle).toBeUndefined();
    expect(published({ ...unit, stockedAt: '2026-11-30T06:00:01Z' }).used_vehicle).toBeUndefined();
    const context = contextWith();
    const silent = { ...context, rooftop: { ...context.rooftop, publishInventoryAge: false } };
    expect(serializeVehicle({ ...unit, stockedAt }, silent)).toBe(serializeVehicle(unit, silent));
  });

  it('refuses a unit without an advertised price', () => {
    const { advertisedPrice, ...unpriced } = unit;
    expect(advertisedPrice).toBeDefined();
    expect(() => serializeVehicle(unpriced, contextWith())).toThrow('withheld');
  });
});

describe('markStale', () => {
  const stocked = anyUnit.map((of): ListedUnit => ({ ...of, stockedAt: '2026-10-01T09:30:00-05:00' }));

  it('leaves no state of a head current, and no byte of its length changed', () => {
    fc.assert(
      fc.property(stocked, (of) => {
        const head = serializeVehicle(of, contextWith());
        const bytes = Buffer.from(head);
        markStale(bytes);
        const stale = JSON.parse(bytes.toString() + VEHICLE_TAILS.stale) as Vehicle;
        expect(stale).toEqual(JSON.parse((head + VEHICLE_TAILS.stale).replace('"state":"current"', '"state":"stale"')));
        expect(bytes.length).toBe(Buffer.byteLength(head));
      }),
    );
  });

  it('takes no text of a dealer for a state', () => {
    const of = { ...unit, features: ['"state":"current"'] };
    const head = serializeVehicle(of, contextWith());
    const bytes = Buffer.from(head);
    markStale(bytes);
    expect(bytes.toString()).toBe(head);
  });
});

describe('checkedVehicleHead', () => {
  it('names what the schema does not allow, without values', () => {
    const checked = checkedVehicleHead({ ...unit, vin: 'SHORT', year: 1200 }, contextWith());
    const problems = 'problems' in checked ? checked.problems : [];
    expect(problems.map((p) => `${p.pointer} ${p.keyword}`)).toEqual(['/vin pattern', '/year minimum']);
    expect(JSON.stringify(problems)).not.toContain('SHORT');
  });

  it('refuses what is no URI, such as an image address with a space or an odd character', () => {
    for (const url of [
      'https://example.test/a b.jpg',
      'https://example.test/{id}.jpg',
      'https://',
      'https://exa%zz.test/',
    ]) {
      expect(checkedVehicleHead({ ...unit, imageUrls: [url] }, contextWith())).toMatchObject({
        problems: [{ pointer: '/media/0/url', keyword: 'format' }],
      });
    }
  });
});

const PUBLISHED_SCHEMAS = resolve(import.meta.dirname, '../../../../../../shared/specs/dap/schemas');

describe.skipIf(!existsSync(PUBLISHED_SCHEMAS))('the published DAP vehicle schema', () => {
  const compile = (): ReturnType<Ajv2020['compile']> => {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    addFormats.default(ajv);
    const load = (name: string): object =>
      JSON.parse(readFileSync(resolve(PUBLISHED_SCHEMAS, `${name}.schema.json`), 'utf8')) as object;
    for (const name of ['common', 'pricing', 'used-vehicle']) ajv.addSchema(load(name));
    return ajv.compile(load('vehicle'));
  };

  it('accepts every serialised unit in both states', () => {
    const validate = compile();
    fc.assert(
      fc.property(anyUnit, fc.constantFrom('current' as const, 'stale' as const), (of, state) => {
        const head = Buffer.from(serializeVehicle(of, contextWith()));
        if (state === 'stale') markStale(head);
        const valid = validate(JSON.parse(head.toString() + VEHICLE_TAILS[state]));
        expect({ valid, errors: validate.errors }).toEqual({ valid: true, errors: null });
      }),
    );
  });
});
