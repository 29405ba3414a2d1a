import { describe, expect, it } from 'vitest';
import type { ListedUnit } from '../listed-unit.js';
import type { Vehicle } from '../vehicle-schema.js';
import { serializeVehicle } from '../vehicle-record/serialize-vehicle.js';
import type { SearchRequest } from './normalise-query.js';
import { normaliseQuery } from './normalise-query.js';
import type { InventoryOptions } from './organization-inventory.js';
import { OrganizationInventory } from './organization-inventory.js';
import type { RooftopSegment } from './rooftop-segment.js';
import { SegmentBuilder } from './segment-builder.js';
import type { SegmentRow } from './segment-row.js';
import type { SearchOutcome } from './search-result.js';

const NOW = Date.parse('2026-11-30T06:00:00Z');
const SLA_SECONDS = 900;

function rowOf(number: number, members: Partial<SegmentRow> = {}): SegmentRow {
  const row = {
    vehicleId: `veh.${String(number).padStart(4, '0')}`,
    vin: `1HGCM82633A${String(number).padStart(6, '0')}`,
    stockNumber: `S${number}`,
    year: 2020,
    make: 'Honda',
    model: 'Accord',
    trim: null,
    condition: 'used',
    vehicleType: 'car',
    bodyStyle: null,
    priceMinor: 2_000_000 + number,
    currency: 'USD',
    odometerValue: null,
    odometerUnit: null,
    availability: 'available',
    observedAt: NOW,
    ...members,
  } as const;
  return { ...row, head: members.head ?? headOf(row) };
}

function headOf(row: Omit<SegmentRow, 'head'>): string {
  const unit: ListedUnit = {
    rooftopId: 'roof.a',
    vin: row.vin,
    stockNumber: row.stockNumber,
    year: row.year,
    make: row.make,
    model: row.model,
    condition: row.condition,
    advertisedPrice: { amount_minor: row.priceMinor, currency: row.currency },
    conditionalAdjustments: [],
    availability: row.availability,
    imageUrls: [],
    features: [],
    observedAt: row.observedAt,
    historyReports: [],
    titleBrands: [],
    vinChecksum: 'passed',
  };
  return serializeVehicle(unit, {
    organizationId: 'org.example',
    vehicleId: row.vehicleId,
    rooftop: { inventorySlaSeconds: SLA_SECONDS, requiredCharges: { status: 'none' }, publishInventoryAge: true },
    source: { feedName: 'nightly', sha256: '0'.repeat(64), line: 1 },
  });
}

function segment(rows: readonly SegmentRow[], rooftopId = 'roof.a'): Promise<RooftopSegment> {
  const builder = new SegmentBuilder(rooftopId, {
    inventorySlaSeconds: SLA_SECONDS,
    snapshotId: 'snap.1',
    feedName: 'nightly',
  });
  for (const row of rows) builder.add(row);
  return builder.build();
}

const assembled = async (
  segments: readonly Promise<RooftopSegment>[],
  options: InventoryOptions = {},
): Promise<OrganizationInventory> =>
  OrganizationInventory.assemble('org.example', 1, await Promise.all(segments), options);
const inventoryOf = (rows: readonly SegmentRow[], options: InventoryOptions = {}): Promise<OrganizationInventory> =>
  assembled([segment(rows)], options);

function searched(inventory: OrganizationInventory, request: SearchRequest = {}, now = NOW): SearchOutcome {
  return inventory.search(normaliseQuery(request, null), now);
}

const vehicles = (outcome: SearchOutcome): Vehicle[] =>
  JSON.parse(outcome.vehicles.plain.toString('utf8')) as Vehicle[];
const states = (outcome: SearchOutcome): string[] => vehicles(outcome).map((vehicle) => vehicle.freshness.state);
const group = (outcome: SearchOutcome): unknown => JSON.parse(outcome.freshness.plain.toString('utf8'));
const many = (count: number): SegmentRow[] => Array.from({ length: count }, (_, number) => rowOf(number));

describe('finding one unit', () => {
  it('finds by vehicle id, VIN and stock number, whatever order the rows came in', async () => {
    const rows = many(50);
    const inventory = await inventoryOf([...rows].reverse());
    rows.forEach((row, position) => {
      expect(inventory.find('roof.a', { vehicleId: row.vehicleId })).toBe(position);
      expect(inventory.find('roof.a', { vin: row.vin })).toBe(position);
      expect(inventory.find('roof.a', { stockNumber: row.stockNumber })).toBe(position);
      expect(JSON.parse(inventory.vehicleJson(position, NOW).plain.toString())).toMatchObject({ vin: row.vin });
    });
  });

  it('finds nothing at another rooftop or under another code', async () => {
    const inventory = await inventoryOf(many(3));
    expect(inventory.find('roof.b', { vehicleId: 'veh.0001' })).toBe('absent');
    expect(inventory.find('roof.a', { vehicleId: 'veh.000' })).toBe('absent');
    expect(inventory.find('roof.a', { vin: '' })).toBe('absent');
    expect(inventory.find('roof.a', { stockNumber: 's1' })).toBe('absent');
  });

  it('calls a stock number of two or more units ambiguous and still searches all of them', async () => {
    const inventory = await inventoryOf([1, 2, 3, 4].map((n) => rowOf(n, n < 4 ? { stockNumber: 'SHARED' } : {})));
    expect(inventory.find('roof.a', { stockNumber: 'SHARED' })).toBe('ambiguous');
    expect(inventory.find('roof.a', { stockNumber: 'S4' })).toBe(3);
    expect(searched(inventory, { filters: { stock_number: 'SHARED' } }).total).toBe(3);
  });

  it('keeps one VIN at two rooftops as two units', async () => {
    const inventory = await assembled([
      segment([rowOf(1)], 'roof.b'),
      segment([rowOf(2, { vin: rowOf(1).vin })], 'roof.a'),
    ]);
    const { vin } = rowOf(1);
    expect(inventory.find('roof.a', { vin })).toBe(0);
    expect(inventory.find('roof.b', { vin })).toBe(1);
    const found = searched(inventory, { filters: { vin } });
    expect(found.vehicleIds).toEqual(['veh.0002', 'veh.0001']);
    expect(found.rooftopIds).toEqual(['roof.a', 'roof.b']);
  });

  it('tells the facts about a unit', async () => {
    const inventory = await inventoryOf([rowOf(1), rowOf(2, { availability: 'pending_sale', observedAt: NOW - 5000 })]);
    expect(inventory.unitAt(1)).toEqual({
      rooftopId: 'roof.a',
      vehicleId: 'veh.0002',
      availability: 'pending_sale',
      observedAt: NOW - 5000,
      validUntil: NOW + 895_000,
      inventorySlaSeconds: SLA_SECONDS,
      price: { amount_minor: 2_000_002, currency: 'USD' },
      snapshotId: 'snap.1',
      notes: {},
      feedName: 'nightly',
    });
  });
});

describe('a VIN at several rooftops', () => {
  const { vin } = rowOf(1);
  const MARK = 'org.forecourt.duplicate-vin';
  const markOf = (vehicle: Vehicle): unknown => vehicle.extensions?.[MARK];
  const three = (): Promise<OrganizationInventory> =>
    assembled([
      segment([rowOf(1), rowOf(2)], 'roof.a'),
      segment([rowOf(3, { vin, condition: 'certified', priceMinor: 1_900_000, observedAt: NOW - 60_000 })], 'roof.b'),
      segment([rowOf(4, { vin }), rowOf(5, { vin: rowOf(6).vin })], 'roof.c'),
    ]);

  it('stays as many records, each with its own rooftop, price, source and freshness, and is marked on each', async () => {
    const found = vehicles(searched(await three()));
    expect(found.map((vehicle) => [vehicle.vehicle_id, markOf(vehicle)])).toEqual([
      ['veh.0001', { other_rooftop_ids: ['roof.b', 'roof.c'] }],
      ['veh.0002', undefined],
      ['veh.0003', { other_rooftop_ids: ['roof.a', 'roof.c'] }],
      ['veh.0004', { other_rooftop_ids: ['roof.a', 'roof.b'] }],
      ['veh.0005', undefined],
    ]);
    const [first, , second] = found;
    expect(first?.advertised_price.amount.amount_minor).not.toBe(second?.advertised_price.amount.amount_minor);
    expect([first?.condition, second?.condition]).toEqual(['used', 'certified']);
    expect(first?.freshness.observed_at).not.toBe(second?.freshness.observed_at);
    expect(found.every((vehicle) => vehicle.provenance.sources.length === 1)).toBe(true);
  });

  it('names no rooftop that the caller may not see, and keeps the documents of callers apart', async () => {
    const inventory = await three();
    const marks = (visible: readonly string[] | null): unknown[] =>
      vehicles(inventory.search(normaliseQuery({ filters: { vin } }, ['roof.a']), NOW, visible)).map(markOf);
    expect(marks(null)).toEqual([{ other_rooftop_ids: ['roof.b', 'roof.c'] }]);
    expect(marks(['roof.a', 'roof.c'])).toEqual([{ other_rooftop_ids: ['roof.c'] }]);
    expect(marks(['roof.a'])).toEqual([undefined]);
    expect(marks(null)).toEqual([{ other_rooftop_ids: ['roof.b', 'roof.c'] }]);
    const single = (visible: readonly string[] | null): unknown =>
      markOf(JSON.parse(inventory.vehicleJson(0, NOW, visible).plain.toString()) as Vehicle);
    expect([single(null), single(['roof.a']), single(null)]).toEqual([
      { other_rooftop_ids: ['roof.b', 'roof.c'] },
      undefined,
      { other_rooftop_ids: ['roof.b', 'roof.c'] },
    ]);
  });

  it('is no longer marked when the other rooftop stops publishing it', async () => {
    const before = await three();
    const next = await OrganizationInventory.assemble('org.example', 2, before.segments.slice(0, 1));
    expect(vehicles(searched(next)).map(markOf)).toEqual([undefined, undefined]);
  });
});

describe('freshness', () => {
  it('of a single vehicle turns stale right after its service level ends', async () => {
    const inventory = await inventoryOf([rowOf(1)]);
    const stateAfter = (seconds: number): string =>
      (JSON.parse(inventory.vehicleJson(0, NOW + seconds * 1000).plain.toString()) as Vehicle).freshness.state;
    expect([0, 900, 901].map(stateAfter)).toEqual(['current', 'current', 'stale']);
  });

  it('of a cached page follows the clock in both directions', async () => {
    const inventory = await inventoryOf([rowOf(1), rowOf(2, { observedAt: NOW - 60_000 })]);
    const at = (ms: number): SearchOutcome => searched(inventory, {}, NOW + ms);
    expect(states(at(0))).toEqual(['current', 'current']);
    expect(states(at(840_000))).toEqual(['current', 'current']);
    expect(states(at(840_001))).toEqual(['current', 'stale']);
    expect(states(at(840_000))).toEqual(['current', 'current']);
    expect(states(at(840_001))).toEqual(['current', 'stale']);
    expect(states(at(900_000))).toEqual(['current', 'stale']);
    expect(states(at(900_001))).toEqual(['stale', 'stale']);
    expect(states(at(0))).toEqual(['current', 'current']);
  });

  it('of a group is as old as its oldest unit, and stale as soon as one unit is', async () => {
    const inventory = await inventoryOf([rowOf(1), rowOf(2, { observedAt: NOW - 60_000 })]);
    const expected = {
      observed_at: '2026-11-30T05:59:00Z',
      valid_until: '2026-11-30T06:14:00Z',
      max_age_seconds: SLA_SECONDS,
    };
    expect(group(searched(inventory, {}, NOW + 840_000))).toEqual({ ...expected, state: 'current' });
    expect(group(searched(inventory, {}, NOW + 840_001))).toEqual({ ...expected, state: 'stale' });
  });

  it('of a group looks at the whole result, not the page', async () => {
    const inventory = await inventoryOf([rowOf(1), rowOf(2, { observedAt: NOW - 901_000 })]);
    const outcome = searched(inventory, { page: { limit: 1 } });
    expect(states(outcome)).toEqual(['current']);
    expect(group(outcome)).toMatchObject({ state: 'stale' });
  });
});

describe('an empty inventory', () => {
  it('answers searches with nothing, observed now', async () => {
    const inventory = await assembled([]);
    const outcome = searched(inventory, { query: 'honda', sort: { field: 'year', order: 'desc' } });
    expect(outcome).toMatchObject({ total: 0, hasMore: false, next: null, vehicleIds: [], rooftopIds: [] });
    expect(outcome.vehicles.plain.toString()).toBe('[]');
    expect(group(outcome)).toMatchObject({ observed_at: '2026-11-30T06:00:00Z', state: 'current' });
    expect(inventory.find('roof.a', { vin: rowOf(1).vin })).toBe('absent');
  });

  it('may hold rooftops without units, and answers beyond the last page with nothing', async () => {
    const inventory = await assembled([segment([], 'roof.b'), segment([rowOf(1)])]);
    expect(inventory.size).toBe(1);
    const after = { key: null, rooftopId: 'roof.b', vehicleId: 'veh.9999' };
    expect(inventory.search(normaliseQuery({}, null, after), NOW)).toMatchObject({ vehicleIds: [], hasMore: false });
  });
});

describe('a filter', () => {
  it('compares kilometres and miles exactly', async () => {
    const inventory = await inventoryOf([
      rowOf(1, { odometerValue: 29_000, odometerUnit: 'km' }),
      rowOf(2, { odometerValue: 18_420, odometerUnit: 'mi' }),
      rowOf(3),
    ]);
    const upTo = (value: number, unit: 'mi' | 'km'): readonly string[] =>
      searched(inventory, { filters: { odometer_max: { value, unit } } }).vehicleIds;
    expect(upTo(29_000, 'km')).toEqual(['veh.0001']);
    expect(upTo(18_019, 'mi')).toEqual([]);
    expect(upTo(18_020, 'mi')).toEqual(['veh.0001']);
    expect(upTo(18_420, 'mi')).toEqual(['veh.0001', 'veh.0002']);
    expect(upTo(29_644, 'km')).toEqual(['veh.0001']);
    expect(upTo(29_645, 'km')).toEqual(['veh.0001', 'veh.0002']);
  });

  it('matches prices of its own currency only', async () => {
    const inventory = await inventoryOf([rowOf(1), rowOf(2, { currency: 'CAD' })]);
    const found = (filters: SearchRequest['filters'] & object): readonly string[] =>
      searched(inventory, { filters }).vehicleIds;
    expect(found({ price_min: { amount_minor: 0, currency: 'USD' } })).toEqual(['veh.0001']);
    expect(found({ price_max: { amount_minor: 9_000_000, currency: 'CAD' } })).toEqual(['veh.0002']);
    expect(found({ price_max: { amount_minor: 9_000_000, currency: 'EUR' } })).toEqual([]);
    expect(
      found({
        price_min: { amount_minor: 0, currency: 'USD' },
        price_max: { amount_minor: 9_000_000, currency: 'CAD' },
      }),
    ).toEqual([]);
  });
});

describe('a word', () => {
  const rows = [
    rowOf(1, { make: 'Toyota', model: 'Corolla' }),
    rowOf(2, { make: 'Ford', model: 'F-150' }),
    rowOf(3, { make: 'Mercedes-Benz', model: 'C 300', trim: 'Corola' }),
    rowOf(4, { make: 'Kia', model: 'Seltos' }),
  ];
  const found = async (query: string, scope: readonly string[] | null = null): Promise<readonly string[]> => {
    const inventory = await assembled([segment(rows.slice(0, 2), 'roof.a'), segment(rows.slice(2), 'roof.b')]);
    return inventory.search(normaliseQuery({ query }, scope), NOW).vehicleIds;
  };

  it.each([
    ['f150', ['veh.0002']],
    ['F 150', ['veh.0002']],
    ['f-150', ['veh.0002']],
    ['f151', []],
    ['mercedes benz', ['veh.0003']],
    ['mercedesbenz', ['veh.0003']],
    ['mercedes-bens', ['veh.0003']],
    ['mercdes', ['veh.0003']],
    ['toytoa', ['veh.0001']],
    ['totyoa', []],
    ['kai', []],
    ['seltso', ['veh.0004']],
    ['seltso kia', ['veh.0004']],
  ])('%s finds %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('that something contains is not taken for a misspelt one', async () => {
    expect(await found('corola')).toEqual(['veh.0003']);
  });

  it('is judged by the rooftops that are searched alone', async () => {
    expect(await found('corola', ['roof.a'])).toEqual(['veh.0001']);
  });
});

describe('the result cache', () => {
  it('serves a repeated page from memory and counts it', async () => {
    const inventory = await inventoryOf(many(30));
    const first = searched(inventory, { query: 'honda' });
    const again = searched(inventory, { query: 'HONDA' });
    expect(again.vehicles).toBe(first.vehicles);
    expect(inventory.cacheCounters).toMatchObject({ resultHits: 1, resultMisses: 1, pageHits: 1, pageMisses: 1 });
  });

  it('never exceeds its bound, and answers the same with hardly any cache', async () => {
    const maxBytes = 20_000;
    const small = await inventoryOf(many(60), { cacheBytes: maxBytes });
    const none = await inventoryOf(many(60), { cacheBytes: 0 });
    for (let limit = 1; limit <= 60; limit++) {
      const request: SearchRequest = { page: { limit }, filters: { year_min: 1990 + (limit % 7) } };
      expect(searched(small, request).vehicles.plain.equals(searched(none, request).vehicles.plain)).toBe(true);
      expect(small.cacheCounters.bytes).toBeLessThanOrEqual(maxBytes);
    }
    expect(small.cacheCounters.bytes).toBeGreaterThan(0);
    expect(none.cacheCounters).toMatchObject({ bytes: 0, resultHits: 0, pageHits: 0 });
  });
});

describe('building', () => {
  it('refuses a vehicle id twice at a rooftop, and a rooftop twice in an inventory', async () => {
    await expect(segment([rowOf(1), rowOf(2), rowOf(1)])).rejects.toThrow('twice');
    await expect(assembled([segment([rowOf(1)]), segment([rowOf(2)])])).rejects.toThrow('twice');
  });

  it('lets other work run in between', async () => {
    let turns = 0;
    let working = true;
    const turn = (): void => {
      turns++;
      if (working) setImmediate(turn);
    };
    const rows = Array.from({ length: 40_000 }, (_, number) => rowOf(number, { head: '{' }));
    setImmediate(turn);
    const inventory = await inventoryOf(rows);
    working = false;
    expect(inventory.size).toBe(rows.length);
    expect(turns).toBeGreaterThan(1);
  });

  it('keeps heads of every size apart, larger than a chunk and outside ASCII included', async () => {
    const head = (text: string): string => `{"note":"${text}","freshness":{"state":"`;
    const texts = [
      'a',
      '日本'.repeat(300_000),
      'é🚗',
      'x'.repeat(1_048_576),
      'z'.repeat(400_000),
      'ü'.repeat(400_000),
      '',
    ];
    const inventory = await inventoryOf(texts.map((text, number) => rowOf(number, { head: head(text) })));
    texts.forEach((text, position) => {
      expect(inventory.vehicleJson(position, NOW).plain.toString()).toBe(`${head(text)}current"}}`);
    });
  });
});
