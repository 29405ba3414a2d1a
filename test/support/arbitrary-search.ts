import fc from 'fast-check';
import type { SearchFilters, SearchRequest } from '../../src/modules/inventory/domain/read-model/normalise-query.js';
import { SORT_FIELDS } from '../../src/modules/inventory/domain/read-model/normalised-query.js';
import type { SegmentRow } from '../../src/modules/inventory/domain/read-model/segment-row.js';
import type { UsedSummaryFacts } from '../../src/modules/inventory/domain/read-model/used-summary-facts.js';
import type { VisibleRooftops } from '../../src/modules/inventory/domain/read-model/vehicle-page.js';
import {
  CERTIFICATION_TYPES,
  HISTORY_REPORT_STATUSES,
} from '../../src/modules/inventory/domain/used-vehicle/used-vehicle-vocabulary.js';
import { AVAILABILITY_STATUSES, CONDITIONS, VEHICLE_TYPES } from '../../src/modules/inventory/domain/vehicle-schema.js';

export const NOW = Date.parse('2026-11-30T06:00:00Z');
export const SLA_SECONDS = { 'roof.a': 900, 'roof.b': 60, 'roof.c': 3600 } as const;
export type RooftopId = keyof typeof SLA_SECONDS;
export const ROOFTOPS = Object.keys(SLA_SECONDS) as RooftopId[];

export interface Row extends SegmentRow {
  readonly rooftopId: RooftopId;
  /** What the head publishes as its used-vehicle summary. */
  readonly used: UsedSummaryFacts | null;
}

const headOf = (row: Omit<Row, 'head'>): string =>
  `{"vehicle_id":${JSON.stringify(row.vehicleId)},"rooftop_id":"${row.rooftopId}","note":"é"${summaryOf(row.used)},"freshness":{"state":"`;
const summaryOf = (used: UsedSummaryFacts | null): string =>
  used === null
    ? ''
    : `,"used_vehicle":{"inventory_tenure":{"age_days":${used.ageDays},"freshness":{"state":"current"}},"history_report_status":"${used.historyReportStatus}","certification_type":"${used.certificationType}"}`;

export const anyRow: fc.Arbitrary<Row> = fc
  .record({
    rooftopId: fc.constantFrom(...ROOFTOPS),
    vehicleId: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,3}$/),
    vin: fc.constantFrom('1HGCM82633A004352', '1HGCM82633A004353', '5YJ3E1EA7KF317000', 'WBA00000000000001'),
    stockNumber: fc.constantFrom('P1', 'p-123', 'HONDA7', 'Ä-ß 9', 'x\ny'),
    year: fc.constantFrom(1999, 2019, 2020, 2024),
    make: fc.constantFrom('Honda', 'HONDA', 'Mercedes-Benz', 'Škoda', 'Kia'),
    model: fc.constantFrom(
      'Accord',
      'Civic',
      'F-150',
      'F150',
      'C 300',
      'CR-V',
      'Camry',
      'Camri',
      '4Runner',
      'Rio',
      '-',
    ),
    trim: fc.constantFrom(null, 'Sport', 'EX-L 2019', 'Straße'),
    condition: fc.constantFrom(...CONDITIONS),
    vehicleType: fc.constantFrom(null, ...VEHICLE_TYPES),
    bodyStyle: fc.constant(null),
    priceMinor: fc.constantFrom(0, 1_000_000, 1_000_100, 2_500_000, 9_007_199_254_740_991),
    currency: fc.constantFrom('USD', 'USD', 'CAD'),
    odometerValue: fc.constantFrom(null, 0, 18_019, 18_020, 18_420, 29_000),
    odometerUnit: fc.constantFrom('mi' as const, 'km' as const),
    availability: fc.constantFrom(...AVAILABILITY_STATUSES),
    observedAt: fc.constantFrom(0, 30, 61, 899, 901, 86_400).map((seconds) => NOW - seconds * 1000),
    used: fc.option(
      fc.record({
        ageDays: fc.constantFrom(0, 29, 30, 31, 47, 4000),
        historyReportStatus: fc.constantFrom(...HISTORY_REPORT_STATUSES),
        certificationType: fc.constantFrom(...CERTIFICATION_TYPES),
      }),
    ),
  })
  .map((row) => ({ ...row, head: headOf(row) }));

export const anyRows = fc.uniqueArray(anyRow, {
  maxLength: 40,
  selector: (row) => `${row.rooftopId} ${row.vehicleId}`,
});

const some = <T>(...values: T[]): fc.Arbitrary<T[]> => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const money = fc.record({
  amount_minor: fc.constantFrom(0, 1_000_000, 1_000_050, 2_500_000),
  currency: fc.constantFrom('USD', 'CAD', 'EUR'),
});
const distance = fc.record({
  value: fc.constantFrom(0, 18_019, 18_020, 18_421, 29_000),
  unit: fc.constantFrom('mi' as const, 'km' as const),
});
const anyFilters: fc.Arbitrary<SearchFilters> = fc.record(
  {
    vehicle_type: some(...VEHICLE_TYPES),
    make: some('honda', 'MERCEDES BENZ', 'škoda', 'Ford'),
    model: some('f150', 'F 150', 'F-150', 'CR V', 'civic', 'c-300'),
    condition: some(...CONDITIONS),
    year_min: fc.constantFrom(1886, 2019, 2024),
    year_max: fc.constantFrom(1999, 2020, 2200),
    price_min: money,
    price_max: money,
    odometer_min: distance,
    odometer_max: distance,
    inventory_age_min_days: fc.constantFrom(0, 30, 5000),
    inventory_age_max_days: fc.constantFrom(0, 30, 47),
    history_report_status: some(...HISTORY_REPORT_STATUSES),
    certification_type: some(...CERTIFICATION_TYPES),
    availability: some(...AVAILABILITY_STATUSES),
    vin: fc.constantFrom('1HGCM82633A004352', '5YJ3E1EA7KF317000', 'WBA99999999999999'),
    stock_number: fc.constantFrom('P1', 'p1', 'p-123'),
  },
  { requiredKeys: [] },
);
const fewFilters: fc.Arbitrary<SearchFilters> = fc
  .tuple(anyFilters, some(...Object.keys(filterNames())))
  .map(([filters, keep]) => {
    return Object.fromEntries(Object.entries(filters).filter(([name]) => keep.includes(name)));
  });
function filterNames(): Record<keyof SearchFilters, true> {
  return {
    vehicle_type: true,
    make: true,
    model: true,
    condition: true,
    year_min: true,
    year_max: true,
    price_min: true,
    price_max: true,
    odometer_min: true,
    odometer_max: true,
    inventory_age_min_days: true,
    inventory_age_max_days: true,
    history_report_status: true,
    certification_type: true,
    availability: true,
    vin: true,
    stock_number: true,
  };
}
const word = fc.constantFrom(
  'honda',
  'HON',
  'a',
  '2019',
  '201',
  'sport',
  'STRASSE',
  'use',
  '1hg',
  '317',
  '7k',
  'p1',
  'ä-ß',
  'škoda',
  '-',
  'x y',
  'zzz',
  'f150',
  'F-15',
  'f151',
  'crv',
  'mercedesbenz',
  // One letter wrong, missing, surplus or swapped; some of them near two names, and some near none.
  'hnoda',
  'hondaa',
  'Hond-q',
  'hoda',
  'acrod',
  'accird',
  'camr',
  'camre',
  'mercedes-bens',
  'mercedez',
  'bnez',
  'skoda',
  'koda',
  'runer',
  'kiaa',
  'rioo',
  'demo',
  'usedd',
);
export const anyRequest: fc.Arbitrary<SearchRequest> = fc.record(
  {
    query: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('  ')),
    filters: fewFilters,
    sort: fc.record({
      field: fc.constantFrom(...SORT_FIELDS),
      order: fc.constantFrom('asc' as const, 'desc' as const),
    }),
    page: fc.record({ limit: fc.integer({ min: 1, max: 12 }) }),
  },
  { requiredKeys: [] },
);
export const anyVisible: fc.Arbitrary<VisibleRooftops> = fc.constantFrom(null, ['roof.a'], ['roof.c', 'roof.a'], []);
export const anyScope = fc.constantFrom(null, ['roof.a'], ['roof.c', 'roof.a'], ['roof.none'], []);
