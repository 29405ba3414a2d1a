import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carLine, csvOf, HEADER, range, vinOf } from '../support/feed-csv.js';
import { FeedWorld, ORGANIZATION, ROOFTOPS } from '../support/feed-world.js';

let world: FeedWorld;
let feedNumber = 0;
let feedId: string;

beforeAll(async () => {
  world = await FeedWorld.open();
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
    expect(await world.servedVins()).toEqual(
      range(1, 8)
        .map((n) => vinOf(n))
        .toSorted(),
    );
    const rows = await world.query(
      `SELECT line, record, column_name, disposition, reason FROM feed_run_rows WHERE run_id = $1 ORDER BY ordinal`,
      [runId],
    );
    expect(rows).toEqual([
      { line: 10, record: 9, column_name: null, disposition: 'withheld', reason: 'price_unknown' },
      { line: 11, record: 10, column_name: 'Year', disposition: 'quarantined', reason: 'year_invalid' },
      { line: 12, record: 11, column_name: null, disposition: 'collapsed', reason: 'duplicate_identical' },
    ]);
    const [run] = await world.query('SELECT report, state, hold_reasons FROM feed_runs WHERE run_id = $1', [runId]);
    expect(run).toMatchObject({
      state: 'published',
      report: { rows: 11, publishable: 8, withheld: 1, collapsed: 1, quarantined: 1, profile: 'vauto' },
    });
  });

  it('is what the reader then serves, and the next file takes its place', async () => {
    await world.import(feedId, csvOf(range(1, 4)));
    const before = await world.reader.open(ORGANIZATION);
    await world.reader.checkAll();
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

  it('keeps what is served when the file as a whole cannot be read', async () => {
    await world.import(feedId, csvOf(range(1, 4)));
    const { runId, outcome } = await world.import(feedId, `${HEADER.replace('VIN', 'Vehicle')}\n${carLine(7)}\n`);
    expect(outcome).toBe('held');
    expect(await world.servedVins()).toHaveLength(4);
    const [run] = await world.query('SELECT hold_reasons FROM feed_runs WHERE run_id = $1', [runId]);
    expect(run).toEqual({ hold_reasons: ['required_column_missing'] });
  });
});
