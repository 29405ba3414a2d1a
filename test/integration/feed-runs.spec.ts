import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FeedRun, versionOfRun } from '../../src/modules/inventory/app/feed-run.js';
import { TraceValue } from '../../src/modules/inventory/app/trace-value.js';
import { INVENTORY_CHANNEL } from '../../src/modules/inventory/infra/inventory-channel.js';
import { OrganizationLoader } from '../../src/modules/inventory/infra/organization-loader.js';
import { PostgresInventoryReader } from '../../src/modules/inventory/infra/postgres-inventory-reader.js';
import { ChannelListener } from '../../src/platform/database/channel-listener.js';
import { openPool } from '../../src/platform/database/connection.js';
import type { ImportStaging } from '../../src/modules/inventory/app/import-staging.js';
import { LeaseLost } from '../../src/modules/inventory/app/run-lease.js';
import { carLine, csvOf, HEADER, range, vinOf } from '../support/feed-csv.js';
import { FeedWorld, ORGANIZATION, ROOFTOPS, STAFF } from '../support/feed-world.js';

let world: FeedWorld;
let feedNumber = 0;
let feedId: string;
let now = Date.parse('2026-11-30T06:00:00Z');

const vins = (numbers: readonly number[]): string[] => numbers.map((n) => vinOf(n)).toSorted();
const runOf = async (runId: string): Promise<Record<string, unknown>> =>
  (await world.query('SELECT state, hold_reasons, report, attempt FROM feed_runs WHERE run_id = $1', [runId]))[0] ?? {};

/** As a person does it who has just looked at the run. */
const release = async (runId: string): Promise<FeedRun> => {
  const seen = (await runOf(runId)) as unknown as FeedRun;
  return world.releasing.run(ORGANIZATION, runId, [versionOfRun(seen)], STAFF);
};

beforeAll(async () => {
  world = await FeedWorld.open({ now: () => (now += 1000) });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.admin.query('DELETE FROM rooftop_inventory; DELETE FROM unit_overlays');
  feedId = `feed.${++feedNumber}`;
  await world.createFeed(feedId);
});

describe('a feed run', () => {
  it('publishes a file and reports every row that was not simply published', async () => {
    const file = csvOf([...range(1, 8), carLine(9, { price: 'Call' }), carLine(10, { year: '20x4' }), carLine(1)]);
    const { runId, outcome } = await world.import(feedId, file);
    expect(outcome).toBe('published');
    expect(await world.servedVins()).toEqual(vins(range(1, 8)));
    const rows = await world.query(
      'SELECT line, record, column_name, disposition, reason FROM feed_run_rows WHERE run_id = $1 ORDER BY ordinal',
      [runId],
    );
    expect(rows).toEqual([
      { line: 10, record: 9, column_name: null, disposition: 'withheld', reason: 'price_unknown' },
      { line: 11, record: 10, column_name: 'Year', disposition: 'quarantined', reason: 'year_invalid' },
      { line: 12, record: 11, column_name: null, disposition: 'collapsed', reason: 'duplicate_identical' },
    ]);
    expect(await runOf(runId)).toMatchObject({
      state: 'published',
      report: { rows: 11, publishable: 8, withheld: 1, collapsed: 1, quarantined: 1, profile: 'vauto' },
    });
  });

  it('reads the words and price columns that the rooftop decided for its feeds', async () => {
    const decide = (settings: object): Promise<unknown> =>
      world.admin.query('UPDATE rooftops SET settings = settings || $1::jsonb WHERE rooftop_id = $2', [
        JSON.stringify(settings),
        ROOFTOPS[0],
      ]);
    const file = `${HEADER},Special\n${carLine(1).replace(',U,', ',loaner,')},25000\n`;
    await decide({ condition_map: { Loaner: 'demo' }, price_order: ['Special', 'Price'] });
    try {
      world.directory.forget(ORGANIZATION);
      const { runId } = await world.import(feedId, file);
      expect(await runOf(runId)).toMatchObject({ state: 'published', report: { publishable: 1 } });
      const units = await world.query('SELECT condition, price_minor::integer FROM units WHERE run_id = $1', [runId]);
      expect(units).toEqual([{ condition: 'demo', price_minor: 2_500_000 }]);
    } finally {
      await world.admin.query(`UPDATE rooftops SET settings = settings - 'condition_map' - 'price_order'`);
      world.directory.forget(ORGANIZATION);
    }
  });

  it('is what the reader then serves, and the next file takes its place', async () => {
    await world.import(feedId, csvOf(range(1, 4)));
    await world.reader.checkAll();
    const before = await world.reader.open(ORGANIZATION);
    await world.import(feedId, csvOf(range(2, 5)));
    await world.reader.checkAll();
    await expect
      .poll(async () => (await world.reader.open(ORGANIZATION)).find(ROOFTOPS[0], { vin: vinOf(5) }))
      .not.toBe('absent');
    const after = await world.reader.open(ORGANIZATION);
    expect(after.version).toBeGreaterThan(before.version);
    expect(after.find(ROOFTOPS[0], { vin: vinOf(1) })).toBe('absent');
    expect(after.size).toBe(4);
  });

  it('keeps what is served when the file as a whole cannot be read, and such a run cannot be released', async () => {
    await world.import(feedId, csvOf(range(1, 4)));
    const { runId, outcome } = await world.import(feedId, `${HEADER.replace('VIN', 'Vehicle')}\n${carLine(7)}\n`);
    expect(outcome).toBe('held');
    expect(await world.servedVins()).toHaveLength(4);
    expect(await runOf(runId)).toMatchObject({ hold_reasons: ['required_column_missing'] });
    await expect(release(runId)).rejects.toMatchObject({ code: 'state.conflict' });
  });

  it('is held above the share of bad rows until a person releases it, and is released once', async () => {
    await world.import(feedId, csvOf(range(1, 4)));
    const bad = range(20, 25).map((n) => carLine(n, { year: 'x' }));
    const { runId, outcome } = await world.import(feedId, csvOf([...range(1, 4), ...bad]));
    expect(outcome).toBe('held');
    expect(await runOf(runId)).toMatchObject({ hold_reasons: ['bad_row_share'] });
    const released = await Promise.allSettled([1, 2].map(() => release(runId)));
    expect(released.map((r) => r.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await runOf(runId)).toMatchObject({ state: 'published', report: { released: { by: 'key.admin' } } });
    const audited = await world.query(
      `SELECT actor, reason FROM audit_events WHERE operation = 'feeds.release' AND $1 = ANY(resource_ids)`,
      [runId],
    );
    expect(audited).toEqual([{ actor: 'key.admin', reason: 'guards_waived' }]);
  });

  it('is held when a rooftop would lose too much, and goes stale when a newer file comes', async () => {
    await world.import(feedId, csvOf(range(1, 10)));
    const short = await world.import(feedId, csvOf(range(1, 4)));
    expect(short.outcome).toBe('held');
    expect(await runOf(short.runId)).toMatchObject({ hold_reasons: [`shrink:${ROOFTOPS[0]}`] });
    expect(await world.servedVins()).toHaveLength(10);
    expect((await world.import(feedId, csvOf(range(1, 9)))).outcome).toBe('published');
    expect(await runOf(short.runId)).toMatchObject({ state: 'superseded' });
    await expect(release(short.runId)).rejects.toMatchObject({
      code: 'state.conflict',
    });
  });

  it('cannot be released while a newer file of its feed waits', async () => {
    await world.import(feedId, csvOf(range(1, 10)));
    const short = await world.import(feedId, csvOf(range(1, 4)));
    await world.receive(feedId, csvOf(range(1, 9)));
    await expect(release(short.runId)).rejects.toMatchObject({
      code: 'state.conflict',
    });
  });

  it('withdraws a car that a full file no longer lists', async () => {
    await world.import(feedId, csvOf(range(1, 5)));
    await world.import(feedId, csvOf([1, 2, 4, 5]));
    expect(await world.servedVins()).toEqual(vins([1, 2, 4, 5]));
  });

  it('never goes back in time: a file that arrived before the served one is superseded', async () => {
    const older = await world.receive(feedId, csvOf(range(1, 5)));
    const newer = await world.receive(feedId, csvOf(range(2, 6)));
    expect(await world.work(newer.runId)).toBe('published');
    expect(await world.work(older.runId)).toBe('superseded');
    expect(await world.servedVins()).toEqual(vins(range(2, 6)));
    expect(await world.query('SELECT 1 FROM units WHERE run_id = $1', [older.runId])).toEqual([]);
  });

  it('keeps what was last published of a car that the file contradicts itself about', async () => {
    await world.import(feedId, csvOf([1, carLine(2, { price: '15000' }), 3]));
    const { runId, outcome } = await world.import(
      feedId,
      csvOf([1, carLine(2, { price: '16000' }), 3, carLine(2, { price: '17000' }), 4, 5, 6, 7, 8]),
    );
    expect(outcome).toBe('published');
    const [kept] = await world.query(
      'SELECT u.price_minor::int AS price, u.run_id <> $2 AS carried FROM rooftop_inventory i JOIN units u ON u.snapshot_id = i.snapshot_id WHERE u.vin = $1',
      [vinOf(2), runId],
    );
    expect(kept).toEqual({ price: 1_500_000, carried: true });
    const rows = await world.query(
      'SELECT line, disposition, reason FROM feed_run_rows WHERE run_id = $1 ORDER BY line',
      [runId],
    );
    expect(rows).toEqual([3, 5].map((line) => ({ line, disposition: 'quarantined', reason: 'duplicate_conflict' })));
    expect(await runOf(runId)).toMatchObject({ report: { carried_over: 1, quarantined: 2, publishable: 7 } });
  });

  it('switches all rooftops of a file at once, and counts one without a row as shrunk to nothing', async () => {
    const rooftops = { kind: 'by_key' as const, keys: { NORTH: ROOFTOPS[0], SOUTH: ROOFTOPS[1] } };
    await world.createFeed('feed.both', { rooftops });
    const south = (n: number): string => carLine(n, { dealer: 'SOUTH' });
    expect((await world.import('feed.both', csvOf([1, 2, south(3), south(4)]))).outcome).toBe('published');
    expect(await world.servedVins(ROOFTOPS[1])).toEqual(vins([3, 4]));
    const { runId, outcome } = await world.import('feed.both', csvOf([1, 2, 5, 6]));
    expect(outcome).toBe('held');
    expect(await runOf(runId)).toMatchObject({ hold_reasons: [`shrink:${ROOFTOPS[1]}`] });
  });

  it('does not take a rooftop that another feed serves, unless a person says so', async () => {
    await world.import(feedId, csvOf(range(1, 4)));
    await world.createFeed('feed.rival');
    const { runId, outcome } = await world.import('feed.rival', csvOf(range(1, 5)));
    expect(outcome).toBe('held');
    expect(await runOf(runId)).toMatchObject({ hold_reasons: ['rooftop_served_by_other_feed'] });
    await release(runId);
    expect(await world.servedVins()).toEqual(vins(range(1, 5)));
  });

  it('names file, line and column of every published value', async () => {
    const { runId } = await world.import(feedId, csvOf(range(1, 3)));
    const [unit] = await world.query<{ vehicle_id: string }>(
      'SELECT vehicle_id FROM units WHERE run_id = $1 AND vin = $2',
      [runId, vinOf(2)],
    );
    const origin = await new TraceValue(world.unitOfWork, world.stores.published).run(ORGANIZATION, unit!.vehicle_id);
    expect(origin).toMatchObject({
      runId,
      fileName: 'feed.csv',
      line: 3,
      record: 2,
      columns: { vin: 'VIN', advertisedPrice: 'Price', model: 'Model' },
    });
    await expect(
      new TraceValue(world.unitOfWork, world.stores.published).run('org.other', unit!.vehicle_id),
    ).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('is invisible to another organization', async () => {
    await world.createGroup('org.other');
    await world.import(feedId, csvOf(range(1, 3)));
    const seen = await world.unitOfWork.withTenant('org.other', (tx) => world.stores.runs.findNewest(tx, feedId));
    expect(seen).toBeUndefined();
    expect((await world.reader.open('org.other')).size).toBe(0);
    await expect(world.receive(feedId, csvOf([1]), { organizationId: 'org.other' })).rejects.toMatchObject({
      code: 'resource.not_found',
    });
    await expect(world.work((await world.receive(feedId, csvOf(range(1, 4)))).runId, 'org.other')).resolves.toBe(
      'not_claimed',
    );
  });
});

describe('two workers on one run', () => {
  it('publish it once, whoever is first', async () => {
    const { runId } = await world.receive(feedId, csvOf(range(1, 50)));
    const outcomes = await Promise.all([world.work(runId), world.work(runId), world.work(runId)]);
    expect(outcomes.toSorted()).toEqual(['not_claimed', 'not_claimed', 'published']);
  });

  it('cannot both write: the one that lost its lease while it was stuck changes nothing any more', async () => {
    const { runId } = await world.receive(feedId, csvOf(range(1, 30)));
    const stuck = await world.stores.staging.claim(ORGANIZATION, runId);
    const lease = { organizationId: ORGANIZATION, runId, attempt: stuck!.attempt };
    const snapshots = await world.stores.staging.begin(lease, feedId, [
      { rooftopId: ROOFTOPS[0], policyDigest: 'a'.repeat(64) },
    ]);
    await world.admin.query(`UPDATE feed_runs SET lease_until = now() - interval '1 second' WHERE run_id = $1`, [
      runId,
    ]);
    expect(await world.work(runId)).toBe('published');
    const writes: ((staging: ImportStaging) => Promise<unknown>)[] = [
      (s) => s.renew(lease),
      (s) => s.begin(lease, feedId, [{ rooftopId: ROOFTOPS[0], policyDigest: 'a'.repeat(64) }]),
      (s) => s.stage(lease, { sha256: stuck!.sha256, units: [], rows: [], firstOrdinal: 1, progress: {} }),
      (s) => s.countUnits(lease, snapshots),
    ];
    for (const write of writes) await expect(write(world.stores.staging)).rejects.toBeInstanceOf(LeaseLost);
    const conclusion = { state: 'published' as const, report: {}, holdReasons: [], columnMaps: [], releasable: true };
    await expect(
      world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.stores.publication.conclude(tx, lease, conclusion)),
    ).rejects.toBeInstanceOf(LeaseLost);
    expect(await world.servedVins()).toHaveLength(30);
    expect(
      await world.query(`SELECT 1 FROM snapshots WHERE run_id = $1 AND state = 'published'`, [runId]),
    ).toHaveLength(1);
    expect(await world.query(`SELECT 1 FROM snapshots WHERE run_id = $1 AND state = 'building'`, [runId])).toHaveLength(
      0,
    );
  });
});

describe('the inventory reader', () => {
  const loaderOn = (pool: pg.Pool): OrganizationLoader => new OrganizationLoader(pool, world.directory, 1_048_576);
  const quiet = { log: () => undefined, warn: () => undefined };
  const openOwnPool = (): pg.Pool =>
    openPool({ url: world.database.appUrl, size: 2, waitMs: 1000, name: 'reader', onError: () => undefined });

  it('reads only the rooftops that changed, and nothing when nothing did', async () => {
    await world.createFeed(`${feedId}.south`, { rooftops: { kind: 'single', rooftopId: ROOFTOPS[1] } });
    await world.import(feedId, csvOf(range(1, 4)));
    await world.import(`${feedId}.south`, csvOf(range(5, 8)));
    const loader = loaderOn(world.pool);
    const first = await loader.load(ORGANIZATION, undefined);
    expect([first.rebuiltRooftops, first.inventory.size]).toEqual([2, 8]);
    expect((await loader.load(ORGANIZATION, first)).rebuiltRooftops).toBe(0);
    await world.import(`${feedId}.south`, csvOf(range(5, 9)));
    const next = await loader.load(ORGANIZATION, first);
    expect([next.rebuiltRooftops, next.inventory.size]).toEqual([1, 9]);
  });

  it('shares one load among concurrent callers, and goes on serving while the database is away', async () => {
    await world.import(feedId, csvOf(range(1, 4)));
    const pool = openOwnPool();
    const reader = new PostgresInventoryReader(loaderOn(pool), 4, quiet);
    const opened = await Promise.all([1, 2, 3].map(() => reader.open(ORGANIZATION)));
    expect(new Set(opened).size).toBe(1);
    await pool.end();
    await world.import(feedId, csvOf(range(1, 5)));
    reader.refresh(ORGANIZATION);
    await reader.checkAll();
    expect(await reader.open(ORGANIZATION)).toBe(opened[0]);
    await expect(reader.open('org.unloaded')).rejects.toThrow();
  });

  it('holds no more organizations than it may', async () => {
    const reader = new PostgresInventoryReader(loaderOn(world.pool), 2, quiet);
    const first = await reader.open(ORGANIZATION);
    for (const id of ['org.lru.a', 'org.lru.b']) {
      await world.createGroup(id);
      await reader.open(id);
    }
    expect(await reader.open(ORGANIZATION)).not.toBe(first);
  });

  it('hears of a publication at once, also after its connection was cut', async () => {
    const heard: string[] = [];
    let gaps = 0;
    const listener = new ChannelListener(
      openOwnPool(),
      INVENTORY_CHANNEL,
      (id) => heard.push(id),
      () => gaps++,
    );
    listener.start();
    await expect.poll(() => gaps, { timeout: 20_000 }).toBe(1);
    await world.import(feedId, csvOf(range(1, 4)));
    await expect.poll(() => heard).toEqual([ORGANIZATION]);
    await world.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'reader'`);
    await expect.poll(() => gaps, { timeout: 20_000 }).toBe(2);
    await world.import(feedId, csvOf(range(1, 5)));
    await expect.poll(() => heard).toEqual([ORGANIZATION, ORGANIZATION]);
    await listener.close();
  });
});
