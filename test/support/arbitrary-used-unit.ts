import fc from 'fast-check';
import type { HistoryReportRef, ListedUnit } from '../../src/modules/inventory/domain/listed-unit.js';
import type {
  HistorySummary,
  ReconditioningFacts,
} from '../../src/modules/inventory/domain/used-vehicle/used-vehicle-facts.js';
import {
  CERTIFICATION_TYPES,
  ODOMETER_STATUSES,
  REPORT_ACCESS,
  REPORT_STATUSES,
} from '../../src/modules/inventory/domain/used-vehicle/used-vehicle-vocabulary.js';

export const USED_OBSERVED_AT = Date.parse('2026-09-01T14:00:00Z');

/** A used unit of which the row says as little as it may. */
export const PLAIN_USED_UNIT: ListedUnit = {
  rooftopId: 'roof.downtown',
  vin: '2HGFC2F59JH000001',
  stockNumber: 'U24002',
  year: 2024,
  make: 'Honda',
  model: 'Civic',
  condition: 'used',
  odometer: { value: 18_420, unit: 'mi' },
  advertisedPrice: { amount_minor: 1_999_500, currency: 'USD' },
  conditionalAdjustments: [],
  availability: 'available',
  imageUrls: [],
  features: [],
  observedAt: USED_OBSERVED_AT,
  stockedAt: '2026-07-16T10:00:00Z',
  stockedAtPrecision: 'second',
  historyReports: [],
  titleBrands: [],
  vinChecksum: 'passed',
};

export const PLAIN_SUMMARY: HistorySummary = {
  accident_status: 'unknown',
  damage_status: 'unknown',
  title_brand_status: 'unknown',
  odometer_consistency: 'unknown',
  owner_count_status: 'unknown',
};

const reported = fc.constantFrom('reported' as const, 'not_reported' as const, 'unknown' as const);
const distance = fc.record({ value: fc.nat(60_000), unit: fc.constantFrom('mi' as const, 'km' as const) });

const summary: fc.Arbitrary<HistorySummary> = fc
  .record(
    {
      accident_status: fc.constantFrom('events_reported', 'no_events_reported', 'unknown'),
      accident_event_count: fc.nat(3),
      damage_status: fc.constantFrom('damage_reported', 'no_damage_reported', 'unknown'),
      structural_damage_status: reported,
      airbag_deployment_status: reported,
      title_brand_status: fc.constantFrom('brands_reported', 'no_brands_reported', 'unknown'),
      odometer_consistency: fc.constantFrom('consistent', 'discrepancy_reported', 'unknown'),
      owner_count_status: fc.constant('known'),
      owner_count: fc.nat(3),
      last_reported_odometer: distance,
    },
    {
      requiredKeys: [
        'accident_status',
        'damage_status',
        'title_brand_status',
        'odometer_consistency',
        'owner_count_status',
        'owner_count',
      ],
    },
  )
  .filter((said) => said.accident_status !== 'no_events_reported' || (said.accident_event_count ?? 0) === 0);

const report: fc.Arbitrary<HistoryReportRef> = fc
  .record(
    {
      providerId: fc.constantFrom('com.carfax', 'com.experian.autocheck'),
      providerName: fc.constantFrom('CARFAX', 'AutoCheck', 'nightly'),
      reportId: fc.string({ minLength: 1, maxLength: 20 }),
      status: fc.constantFrom(...REPORT_STATUSES),
      access: fc.constantFrom(...REPORT_ACCESS),
      reportUrl: fc.constantFrom('https://history.example/1', 'http://history.example/1'),
      generatedAt: fc.constant('2026-08-25T14:00:00Z'),
      observedAt: fc.constant('2026-08-26T14:00:00Z'),
      summarySharingAuthorized: fc.boolean(),
      summary,
    },
    { requiredKeys: ['providerId', 'providerName', 'status', 'access', 'summarySharingAuthorized'] },
  )
  .map(({ summary: said, ...rest }) =>
    rest.summarySharingAuthorized && said !== undefined ? { ...rest, summary: said } : rest,
  );

/** Units that the details operation answers, with facts in any combination. */
export const anyUsedUnit: fc.Arbitrary<ListedUnit> = fc
  .record(
    {
      condition: fc.constantFrom('used' as const, 'certified' as const, 'demo' as const),
      odometer: distance,
      odometerStatus: fc.constantFrom(...ODOMETER_STATUSES),
      historyReports: fc.array(report, { maxLength: 4 }),
      titleBrands: fc.subarray(['salvage' as const, 'rebuilt' as const]),
      title: fc.record({
        status: fc.constantFrom('clear' as const, 'branded' as const, 'pending' as const, 'unknown' as const),
        brands: fc.subarray(['salvage' as const, 'flood' as const, 'odometer' as const]),
      }),
      certificationType: fc.constantFrom(...CERTIFICATION_TYPES),
      certification: fc
        .tuple(fc.constantFrom(...CERTIFICATION_TYPES), fc.boolean())
        .map(([type, named]) => (named ? { type, program_name: 'Example Certified' } : { type })),
      conditionReport: fc.constant({ status: 'partial' as const, inspection_authority: 'dealer' as const }),
      reconditioning: fc.constant<ReconditioningFacts>({
        status: 'in_progress',
        items: [{ category: 'brakes', description: 'Pads', status: 'planned' }],
      }),
    },
    { requiredKeys: [] },
  )
  .map((members) => ({ ...PLAIN_USED_UNIT, ...members }));
