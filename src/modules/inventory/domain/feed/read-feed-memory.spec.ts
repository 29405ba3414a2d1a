import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../../../../../test/fixtures/feeds/collect-garbage.js';
import { readingWith } from '../../../../../test/fixtures/feeds/reading.js';
import { checkFeed } from './check-feed.js';
import type { FeedBytes } from './feed-bytes.js';

const ROWS = 24_000;
const PADDING = 'x'.repeat(2300);

/** A feed of about 60 MB that exists only a thousand rows at a time. */
function streamed(head: string, row: (i: number) => string, tail: string): FeedBytes {
  return {
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous, this source is not
    async *chunks() {
      yield Buffer.from(head);
      for (let i = 0; i < ROWS; i += 1000)
        yield Buffer.from(Array.from({ length: 1000 }, (_, k) => row(i + k)).join(''));
      yield Buffer.from(tail);
    },
  };
}

const vin = (i: number): string => `WVGZZZ5NZJM${String(100_000 + i)}`;

const feeds: readonly (readonly [string, FeedBytes])[] = [
  [
    'delimited',
    streamed(
      'VIN,StockNumber,NewUsed,Year,Make,Model,Price,VDPUrl,Comments\n',
      (i) => `${vin(i)},S${String(i)},U,2020,Kia,Rio,19995,https://d.example/${String(i)},"${PADDING}"\n`,
      '',
    ),
  ],
  [
    'XML',
    streamed(
      '<listings>',
      (i) =>
        `<listing><stock>S${String(i)}</stock><title>Used</title><vin>${vin(i)}</vin><year>2020</year><make>Kia</make><model>Rio</model><price_current>19995</price_current><pics/><description>${PADDING}</description></listing>\n`,
      '</listings>',
    ),
  ],
  [
    'JSON',
    streamed(
      '{"inventory":[',
      (i) =>
        `${i === 0 ? '' : ','}{"vin":"${vin(i)}","stockNumber":"S${String(i)}","accountId":"a","year":2020,"make":"Kia","model":"Rio","type":"used","status":"live","trackingPricing":{"askingPrice":"19995"},"x":"${PADDING}"}\n`,
      '],"accounts":{"a":{}}}',
    ),
  ],
];

describe('reading a large file', () => {
  it.each(feeds)('%s of 60 MB never holds more than a small part of it', { timeout: 60_000 }, async (_, feed) => {
    collectGarbage();
    const before = process.memoryUsage();
    const peak = { heap: 0, buffers: 0 };
    let rows = 0;
    const report = await checkFeed(feed, readingWith(), () => {
      rows += 1;
      if (rows % 4000 !== 0) return;
      collectGarbage();
      const now = process.memoryUsage();
      peak.heap = Math.max(peak.heap, now.heapUsed - before.heapUsed);
      peak.buffers = Math.max(peak.buffers, now.external - before.external);
    });
    expect(report.tally).toMatchObject({ rows: ROWS, publishable: ROWS });
    expect(rows).toBe(ROWS);
    expect(peak.heap).toBeLessThan(10e6);
    // Buffers are freed some time after the collection; all of the file together would be more.
    expect(peak.buffers).toBeLessThan(55e6);
  });
});
