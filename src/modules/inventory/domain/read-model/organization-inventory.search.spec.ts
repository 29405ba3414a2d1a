import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../kernel/limits.js';
import { AVAILABILITY_STATUSES, CONDITIONS, VEHICLE_TYPES } from '../vehicle-schema.js';
import type { SearchFilters, SearchRequest } from './normalise-query.js';
import { normaliseQuery } from './normalise-query.js';
import { SORT_FIELDS } from './normalised-query.js';
import { OrganizationInventory } from './organization-inventory.js';
import type { RooftopSegment } from './rooftop-segment.js';
import { SegmentBuilder } from './segment-builder.js';
import type { SegmentRow } from './segment-row.js';
import type { SearchOutcome } from './search-result.js';

const NOW = Date.parse('2026-11-30T06:00:00Z');
const SLA_SECONDS = { 'roof.a': 900, 'roof.b': 60, 'roof.c': 3600 } as const;
type RooftopId = keyof typeof SLA_SECONDS;
const ROOFTOPS = Object.keys(SLA_SECONDS) as RooftopId[];

interface Row extends SegmentRow {
  readonly rooftopId: RooftopId;
}

const headOf = (row: Omit<Row, 'head'>): string =>
  `{"vehicle_id":${JSON.stringify(row.vehicleId)},"rooftop_id":"${row.rooftopId}","note":"é","freshness":{"state":"`;

const anyRow: fc.Arbitrary<Row> = fc
  .record({
    rooftopId: fc.constantFrom(...ROOFTOPS),
    vehicleId: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,3}$/),
    vin: fc.constantFrom('1HGCM82633A004352', '1HGCM82633A004353', '5YJ3E1EA7KF317000', 'WBA00000000000001'),
    stockNumber: fc.constantFrom('P1', 'p-123', 'HONDA7', 'Ä-ß 9', 'x\ny'),
    year: fc.constantFrom(1999, 2019, 2020, 2024),
    make: fc.constantFrom('Honda', 'HONDA', 'Mercedes-Benz', 'Škoda'),
    model: fc.constantFrom('Accord', 'Civic', 'F-150', 'C 300', 'CR-V'),
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
  })
  .map((row) => ({ ...row, head: headOf(row) }));

const anyRows = fc.uniqueArray(anyRow, {
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
    model: some('f150', 'CR V', 'civic', 'c-300'),
    condition: some(...CONDITIONS),
    year_min: fc.constantFrom(1886, 2019, 2024),
    year_max: fc.constantFrom(1999, 2020, 2200),
    price_min: money,
    price_max: money,
    odometer_min: distance,
    odometer_max: distance,
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
);
const anyRequest: fc.Arbitrary<SearchRequest> = fc.record(
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
const anyScope = fc.constantFrom(null, ['roof.a'], ['roof.c', 'roof.a'], ['roof.none'], []);

/** The same search, written for obviousness: strings and array methods, one condition a line. */
function reference(rows: readonly Row[], request: SearchRequest, scope: readonly string[] | null): Row[] {
  const bare = (text: string): string => text.toLowerCase().replace(/[\s\p{P}]/gu, '');
  const listed = (list: readonly unknown[] | undefined, value: unknown): boolean =>
    list === undefined || list.length === 0 || list.includes(value);
  const mm = (value: number, unit: string): number => value * (unit === 'mi' ? 1_609_344 : 1_000_000);
  const odometer = (row: Row): number | null =>
    row.odometerValue === null ? null : mm(row.odometerValue, row.odometerUnit ?? '');
  const fold = (text: string): string => text.toLowerCase().replaceAll('ß', 'ss');
  const wordMatches = (row: Row, raw: string): boolean => {
    const w = fold(raw);
    const anywhere = [row.make, row.model, row.trim ?? '', row.condition].some((text) => fold(text).includes(w));
    const inCodes = w.length >= 3 && [row.vin, row.stockNumber].some((text) => fold(text).includes(w));
    return anywhere || inCodes || w === String(row.year);
  };
  const f = request.filters ?? {};
  const matches = (row: Row): boolean => {
    const mileage = odometer(row);
    return [
      scope === null || scope.includes(row.rooftopId),
      (request.query ?? '').split(/\s+/).every((w) => w === '' || wordMatches(row, w)),
      listed(f.vehicle_type, row.vehicleType),
      listed(f.make?.map(bare), bare(row.make)),
      listed(f.model?.map(bare), bare(row.model)),
      listed(f.condition, row.condition),
      listed(f.availability, row.availability),
      row.year >= (f.year_min ?? 0),
      row.year <= (f.year_max ?? 9999),
      f.price_min === undefined ||
        (f.price_min.currency === row.currency && row.priceMinor >= f.price_min.amount_minor),
      f.price_max === undefined ||
        (f.price_max.currency === row.currency && row.priceMinor <= f.price_max.amount_minor),
      f.odometer_min === undefined || (mileage !== null && mileage >= mm(f.odometer_min.value, f.odometer_min.unit)),
      f.odometer_max === undefined || (mileage !== null && mileage <= mm(f.odometer_max.value, f.odometer_max.unit)),
      f.vin === undefined || f.vin === row.vin,
      f.stock_number === undefined || f.stock_number === row.stockNumber,
    ].every(Boolean);
  };
  const keyOf = (row: Row): number | null => {
    const keys = {
      advertised_price: row.priceMinor,
      year: row.year,
      odometer: odometer(row),
      observed_at: row.observedAt,
    };
    return keys[(request.sort?.field ?? 'year') as keyof typeof keys];
  };
  const byIds = (a: Row, b: Row): number =>
    `${a.rooftopId} ${a.vehicleId}` < `${b.rooftopId} ${b.vehicleId}` ? -1 : 1;
  return rows.filter(matches).sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    if (request.sort === undefined || x === y) return byIds(a, b);
    if (x === null) return 1;
    if (y === null) return -1;
    return request.sort.order === 'asc' ? x - y : y - x;
  });
}

function referenceFacet(rows: readonly Row[], valueOf: (row: Row) => string | number | null): unknown {
  const counts = new Map<string | number, number>();
  for (const value of rows.map(valueOf)) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, LIMITS.facetValues.value);
}

const validUntil = (row: Row): number => row.observedAt + SLA_SECONDS[row.rooftopId] * 1000;

function segmentsOf(rows: readonly Row[]): Promise<RooftopSegment[]> {
  const segments = ROOFTOPS.map((rooftopId) => {
    const builder = new SegmentBuilder(rooftopId, {
      inventorySlaSeconds: SLA_SECONDS[rooftopId],
      snapshotId: 'snap.1',
      feedName: 'nightly',
    });
    for (const row of rows) if (row.rooftopId === rooftopId) builder.add(row);
    return builder.build();
  });
  return Promise.all(segments);
}

const assembled = async (rows: readonly Row[], version = 1): Promise<OrganizationInventory> =>
  OrganizationInventory.assemble('org.example', version, (await segmentsOf(rows)).reverse());

const json = (bytes: { plain: Buffer } | null): unknown =>
  bytes === null ? null : JSON.parse(bytes.plain.toString('utf8'));
const idsOf = (rows: readonly Row[]): string[] => rows.map((row) => row.vehicleId);

describe('a search', () => {
  it('finds what an obvious implementation finds, in its order, with its facets, freshness and states', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.array(fc.tuple(anyRequest, anyScope), { minLength: 1, maxLength: 8 }),
        async (rows, searches) => {
          const inventory = await assembled(rows);
          for (const [request, scope] of searches) {
            const expected = reference(rows, request, scope);
            const found = inventory.search(normaliseQuery(request, scope), NOW);
            const page = expected.slice(0, request.page?.limit ?? LIMITS.searchPageDefault.value);
            expect(found.total).toBe(expected.length);
            expect(found.vehicleIds).toEqual(idsOf(page));
            expect(found.rooftopIds).toEqual([...new Set(page.map((row) => row.rooftopId))]);
            expect(found.hasMore).toBe(expected.length > page.length);
            expect(json(found.vehicles)).toEqual(
              page.map((row): unknown => JSON.parse(`${row.head}${validUntil(row) >= NOW ? 'current' : 'stale'}"}}`)),
            );
            expect(json(found.facets)).toEqual({
              make: referenceFacet(expected, (row) => row.make),
              model: referenceFacet(expected, (row) => row.model),
              condition: referenceFacet(expected, (row) => row.condition),
              year: referenceFacet(expected, (row) => row.year),
              vehicle_type: referenceFacet(expected, (row) => row.vehicleType),
            });
            expect(found.freshnessBounds).toEqual(
              expected.length === 0
                ? null
                : {
                    observedAt: Math.min(...expected.map((row) => row.observedAt)),
                    validUntil: Math.min(...expected.map(validUntil)),
                    maxAgeSeconds: Math.max(...expected.map((row) => SLA_SECONDS[row.rooftopId])),
                  },
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

function pagesOf(inventoryOf: (page: number) => OrganizationInventory, request: SearchRequest): SearchOutcome[] {
  const pages: SearchOutcome[] = [];
  let after: SearchOutcome['next'] = null;
  do {
    const query = normaliseQuery(request, null, after ?? undefined);
    const outcome = inventoryOf(pages.length).search(query, NOW);
    pages.push(outcome);
    after = outcome.next;
  } while (after !== null && pages.length < 100);
  return pages;
}

describe('paging', () => {
  it('yields the whole result once, in order, with facets on the first page only', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, anyRequest, async (rows, request) => {
        const inventory = await assembled(rows);
        const pages = pagesOf(() => inventory, request);
        expect(pages.flatMap((page) => page.vehicleIds)).toEqual(idsOf(reference(rows, request, null)));
        expect(pages.map((page) => page.facets !== null)).toEqual(pages.map((_, index) => index === 0));
        expect(new Set(pages.map((page) => page.total)).size).toBe(1);
      }),
      { numRuns: 200 },
    );
  });

  it('shows nothing twice and skips nothing that was there throughout while a rooftop is replaced', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, anyRows, anyRequest, fc.nat(4), async (before, after, request, switchAt) => {
        const key = (row: Row): string => `${row.rooftopId} ${row.vehicleId}`;
        const untouched = before.filter((row) => row.rooftopId !== 'roof.b');
        const kept = before.filter((row, index) => row.rooftopId === 'roof.b' && index % 2 === 0);
        const known = new Set([...untouched, ...kept].map(key));
        const added = after.filter((row) => row.rooftopId === 'roof.b' && !before.some((old) => key(old) === key(row)));
        const old = await assembled(before);
        const [a, b, c] = old.segments;
        const [, replaced] = await segmentsOf([...kept, ...added]);
        const next = await OrganizationInventory.assemble('org.example', 2, [a!, replaced!, c!]);
        expect(b).toBeDefined();
        const pages = pagesOf((page) => (page <= switchAt ? old : next), request);
        const seen = pages.flatMap((page) =>
          (json(page.vehicles) as { vehicle_id: string; rooftop_id: string }[]).map(
            (v) => `${v.rooftop_id} ${v.vehicle_id}`,
          ),
        );
        expect(new Set(seen).size).toBe(seen.length);
        const throughout = reference(before, request, null)
          .map(key)
          .filter((id) => known.has(id));
        expect(seen.filter((id) => known.has(id))).toEqual(throughout);
      }),
      { numRuns: 200 },
    );
  });
});
