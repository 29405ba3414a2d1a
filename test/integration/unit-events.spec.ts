import fc from 'fast-check';
import { rfc3339 } from '../../src/kernel/time.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnitEvent } from '../../src/modules/inventory/app/unit-event.js';
import { effectOf } from '../../src/modules/inventory/app/unit-event.js';
import { carLine, csvOf, range, vinOf } from '../support/feed-csv.js';
import { FeedWorld, ORGANIZATION, ROOFTOPS, STAFF } from '../support/feed-world.js';

const T0 = Date.parse('2026-11-30T06:00:00Z');
let world: FeedWorld;
let now = T0;
let number = 0;

const event = (more: Partial<UnitEvent>): UnitEvent => ({
  eventId: `evt-${++number}`,
  rooftopId: ROOFTOPS[0],
  vin: vinOf(1),
  kind: 'sold',
  sourceTime: T0 + 60_000,
  ...more,
});
const price = (amount: number): Partial<UnitEvent> => ({
  kind: 'price',
  price: { amount_minor: amount, currency: 'USD' },
});
const send = async (e: UnitEvent): Promise<string> => (await world.events.run(ORGANIZATION, e, STAFF)).effect;

/** The inventory as it is after every change so far. */
async function fresh(): Promise<Awaited<ReturnType<typeof world.reader.open>>> {
  const [row] = await world.query<{ version: number }>(
    'SELECT version::int FROM inventory_versions WHERE organization_id = $1',
    [ORGANIZATION],
  );
  await world.reader.open(ORGANIZATION);
  await world.reader.checkAll();
  await expect.poll(async () => (await world.reader.open(ORGANIZATION)).version).toBe(row?.version);
  return world.reader.open(ORGANIZATION);
}

interface ShownVehicle {
  readonly advertised_price: { readonly amount: unknown };
  readonly provenance: { readonly sources: readonly object[] };
  readonly freshness: { readonly observed_at: string };
}

async function vehicleOf(vin: string): Promise<ShownVehicle> {
  const inventory = await fresh();
  const position = inventory.find(ROOFTOPS[0], { vin }) as number;
  return JSON.parse(inventory.vehicleJson(position, now).plain.toString('utf8')) as ShownVehicle;
}

async function priceOf(vin: string): Promise<unknown> {
  const position = (await fresh()).find(ROOFTOPS[0], { vin });
  return typeof position === 'number' ? (await vehicleOf(vin)).advertised_price.amount : position;
}

beforeAll(async () => {
  world = await FeedWorld.open({ now: () => now });
  await world.createFeed('feed.main');
  await world.import('feed.main', csvOf([...range(1, 9), carLine(10, { price: 'Call' })]));
  now = T0 + 3_600_000;
});
afterAll(() => world.close());

describe('a single-unit event', () => {
  it('takes a sold car off at once, and its later file brings it back', async () => {
    expect(await priceOf(vinOf(1))).toEqual({ amount_minor: 2_000_100, currency: 'USD' });
    expect(await send(event({}))).toBe('applied');
    expect(await priceOf(vinOf(1))).toBe('absent');
    await world.import('feed.main', csvOf([...range(1, 9), carLine(10, { price: 'Call' })]), { force: true });
    expect(await priceOf(vinOf(1))).toEqual({ amount_minor: 2_000_100, currency: 'USD' });
  });

  it('sets a newer price, also of a car whose feed gives none, in a valid record', async () => {
    expect(await send(event({ vin: vinOf(2), sourceTime: now + 1000, ...price(1_999_900) }))).toBe('applied');
    expect(await send(event({ vin: vinOf(10), sourceTime: now + 1000, ...price(1_500_000) }))).toBe('applied');
    expect(await priceOf(vinOf(2))).toEqual({ amount_minor: 1_999_900, currency: 'USD' });
    expect(await priceOf(vinOf(10))).toEqual({ amount_minor: 1_500_000, currency: 'USD' });
  });

  it('is named as the source of the price that it set, at its own time; the rest stays as old as its row', async () => {
    const [priced, other] = [await vehicleOf(vinOf(2)), await vehicleOf(vinOf(7))];
    const { sources } = priced.provenance;
    expect(sources).toHaveLength(2);
    expect(sources[0]).toMatchObject({ source_name: 'Feed feed.main', observed_at: priced.freshness.observed_at });
    expect(sources[1]).toEqual({
      source_name: 'unit event',
      authority: 'dealer_asserted',
      observed_at: rfc3339(now + 1000),
    });
    expect(priced.freshness).toEqual(other.freshness);
    expect(other.provenance.sources).toHaveLength(1);
    const inventory = await fresh();
    const notesOf = (vin: string): unknown => inventory.unitAt(inventory.find(ROOFTOPS[0], { vin }) as number).notes;
    expect(notesOf(vinOf(2))).toEqual({ pricedAt: now + 1000 });
    expect(notesOf(vinOf(7))).toEqual({});
  });

  it('counts by when it happened, not by when it arrived', async () => {
    const vin = vinOf(3);
    expect(await send(event({ vin, sourceTime: now + 5000, ...price(100) }))).toBe('applied');
    expect(await send(event({ vin, sourceTime: now + 4999, ...price(200) }))).toBe('superseded');
    expect(await send(event({ vin, sourceTime: now - 1, ...price(300) }))).toBe('superseded');
    expect(await send(event({ vin, sourceTime: now + 4000, kind: 'removed' }))).toBe('applied');
    expect(await send(event({ vin, sourceTime: T0 - 1, kind: 'sold' }))).toBe('superseded');
    expect(await priceOf(vin)).toBe('absent');
  });

  it('records an unknown unit and changes nothing', async () => {
    const before = (await fresh()).version;
    expect(await send(event({ vin: vinOf(99) }))).toBe('unknown_unit');
    expect((await fresh()).version).toBe(before);
  });

  it('is idempotent by its id: the same again gets the same answer, other content is refused', async () => {
    const first = event({ vin: vinOf(4), sourceTime: now + 1000 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(first)));
    expect(new Set(answers)).toEqual(new Set(['applied']));
    expect(await world.query('SELECT 1 FROM unit_events WHERE event_id = $1', [first.eventId])).toHaveLength(1);
    for (const other of [{ vin: vinOf(5) }, { kind: 'removed' as const }, { sourceTime: now + 1001 }]) {
      await expect(send({ ...first, ...other })).rejects.toMatchObject({
        code: 'idempotency.mismatch',
        context: { reason: 'idempotency_mismatch' },
      });
    }
  });

  it('is refused with another currency, without a price, from the future, and for an unknown rooftop', async () => {
    const refusals: [Partial<UnitEvent>, string][] = [
      [{ kind: 'price', price: { amount_minor: 1, currency: 'CAD' } }, '/price/currency'],
      [{ kind: 'price' }, '/price'],
      [{ kind: 'sold', price: { amount_minor: 1, currency: 'USD' } }, '/price'],
      [{ sourceTime: now + 301_000 }, '/source_time'],
    ];
    for (const [more, pointer] of refusals) {
      await expect(send(event(more))).rejects.toMatchObject({
        code: 'input.invalid',
        context: { violations: [{ pointer }] },
      });
    }
    await expect(send(event({ rooftopId: 'roof.none' }))).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('is audited with its effect, in the same transaction', async () => {
    const sent = event({ vin: vinOf(6), sourceTime: now + 1000 });
    await send(sent);
    const rows = await world.query(
      `SELECT operation, reason, rooftop_ids FROM audit_events WHERE $1 = ANY(resource_ids)`,
      [sent.eventId],
    );
    expect(rows).toEqual([{ operation: 'unit_events.sold', reason: 'applied', rooftop_ids: [ROOFTOPS[0]] }]);
  });
});

describe('effectOf', () => {
  it('leaves the newest event of each aspect in force, in whatever order events arrive', () => {
    const arrival = fc.array(
      fc.record({ kind: fc.constantFrom('sold' as const, 'price' as const), at: fc.integer({ min: 0, max: 20 }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(arrival, fc.integer({ min: 0, max: 20 }), (events, observedAt) => {
        const times = { sold: null as number | null, price: null as number | null };
        for (const { kind, at } of events) {
          const known = { vehicleId: 'v', observedAt, statusTime: times.sold, priceTime: times.price };
          if (effectOf(event({ kind, sourceTime: at }), known) === 'applied') times[kind] = at;
        }
        for (const kind of ['sold', 'price'] as const) {
          const newest = Math.max(...events.filter((e) => e.kind === kind && e.at >= observedAt).map((e) => e.at));
          expect(times[kind]).toBe(Number.isFinite(newest) ? newest : null);
        }
      }),
    );
  });
});
