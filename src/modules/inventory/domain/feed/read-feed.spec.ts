import { describe, expect, it } from 'vitest';
import { inMemoryFeed } from '../../../../../test/fixtures/feeds/in-memory-feed.js';
import { readRows, readUnits } from '../../../../../test/fixtures/feeds/read-rows.js';
import { readingWith } from '../../../../../test/fixtures/feeds/reading.js';
import { checkFeed } from './check-feed.js';
import { decideGuards } from './decide-guards.js';

const HEADER = 'VIN,StockNumber,NewUsed,Year,Make,Model,InternetPrice,VDPUrl';
const VINS = ['1HGCM82633A004352', '1M8GDM9AXKP042788', 'WVGZZZ5NZJM131395', 'JM3KFBCM1R0903134'];

const line = (i: number, change: { vin?: string; year?: string; price?: string } = {}): string =>
  `${change.vin ?? vinOf(i)},S${String(i)},U,${change.year ?? '2020'},Honda,Accord,${change.price ?? '19995'},https://d.example/${String(i)}`;

/** Distinct VINs of a maker without a binding check digit. */
const vinOf = (i: number): string => `WVGZZZ5NZJM${String(100_000 + i)}`;

describe('a byte order mark in front of the first column', () => {
  const rest = 'StockNumber,NewUsed,Year,Make,Model,Price,VDPUrl';
  const row = `${VINS[0] ?? ''},S1,U,2020,Honda,Accord,19995,https://d.example/1`;

  it.each([
    ['LF', `\ufeffVIN,${rest}\n${row}\n`],
    ['CRLF', `\ufeffVIN,${rest}\r\n${row}\r\n`],
    ['a quoted header', `\ufeff"VIN",${rest}\n${row}\n`],
    ['a padded lower-case header', `\ufeff vin ,${rest}\n${row}\n`],
    ['no mark at all', `VIN,${rest}\n${row}\n`],
  ])('does not hide it: %s', async (_, text) => {
    const [unit] = await readUnits(text);
    expect(unit?.unit.vin).toBe(VINS[0]);
    expect(unit?.columns.vin).toMatch(/^vin$/i);
  });

  it('reads the same file as UTF-16 by its mark, and refuses it by name without', async () => {
    const text = `VIN,${rest}\n${row}\n`;
    expect(await readUnits(Buffer.from(`\ufeff${text}`, 'utf16le'))).toHaveLength(1);
    await expect(readRows(Buffer.from(text, 'utf16le'))).rejects.toMatchObject({ problem: 'encoding_unsupported' });
  });
});

describe('bad rows in a sound file', () => {
  const rows = (bad: Readonly<Record<number, string>>): string =>
    [HEADER, ...Array.from({ length: 100 }, (_, i) => bad[i + 1] ?? line(i + 1)), ''].join('\n');

  it('are quarantined with line and reason, and the rest is published', async () => {
    const text = rows({ 7: line(7).replace('Honda', '"Honda'), 9: `${line(9)},stray`, 12: line(12, { year: '20x4' }) });
    const report = await checkFeed(inMemoryFeed(text), readingWith());
    expect(report.tally).toMatchObject({ rows: 100, publishable: 97, quarantined: 3 });
    expect(report.quarantined.map(({ line: at, reason }) => [at, reason])).toEqual([
      [8, 'quote_unbalanced'],
      [10, 'column_count'],
      [13, 'year_invalid'],
    ]);
    expect(report.quarantined[2]).toMatchObject({
      problems: [{ reason: 'year_invalid', column: 'Year' }],
      vin: vinOf(12),
    });
    expect(decideGuards({ tally: report.tally, previousCounts: {}, newCounts: {} })).toEqual([]);
  });

  it('hold the whole file when they are too many', async () => {
    const bad = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [i + 1, line(i + 1, { year: '20x4' })]));
    const { tally } = await checkFeed(inMemoryFeed(rows(bad)), readingWith());
    const previousCounts = { 'roof.north': 100 };
    expect(decideGuards({ tally, previousCounts, newCounts: tally.publishableByRooftop })).toEqual([
      'bad_row_share',
      'shrink:roof.north',
    ]);
  });

  it('tell all of their problems at once', async () => {
    const [row] = await readRows(`${HEADER}\nX,,Z,20x4,,Accord,-5,\n`);
    expect(row).toMatchObject({ kind: 'quarantined', reason: 'vin_invalid' });
    expect(row?.kind === 'quarantined' ? row.problems.map((p) => `${p.column ?? ''}:${p.reason}`) : []).toEqual([
      'VIN:vin_invalid',
      'Year:year_invalid',
      'StockNumber:required_missing',
      'Make:required_missing',
      'NewUsed:condition_unknown',
      'InternetPrice:price_invalid',
    ]);
  });

  it('never repeat what stands in their cells', async () => {
    const secret = 'jane.doe@mail.example';
    const cells = Array.from({ length: 8 }, () => secret).join(',');
    expect(JSON.stringify(await readRows(`${HEADER}\n${cells}\n`))).not.toContain('jane');
    const headerless = readRows(`${cells}\n`, readingWith({ profile: 'website-export' }));
    const problem: unknown = await headerless.catch((error: unknown) => error);
    expect(problem).toMatchObject({ problem: 'required_column_missing' });
    expect(JSON.stringify(problem)).not.toContain('jane');
  });
});

describe('price words and sentinels', () => {
  it('mean that the price is unknown, and never zero', async () => {
    const prices = ['0', '', 'Call', 'N/A', '1', '999999', '19995'];
    const text = [HEADER, ...prices.map((price, i) => line(i, { price }))].join('\n');
    const units = await readUnits(text);
    expect(units.map((row) => row.withheld ?? row.unit.advertisedPrice?.amount_minor)).toEqual([
      ...Array.from({ length: 6 }, () => 'price_unknown'),
      1999500,
    ]);
    expect(JSON.stringify(units)).not.toContain('"amount_minor":0');
  });
});

describe('the VIN check digit', () => {
  const text = [HEADER, line(1, { vin: '1HGCM82633A004325' }), line(2, { vin: 'WVGZZZ5NZJM131395' }), ''].join('\n');

  it('flags by default and quarantines where the policy says so', async () => {
    const [wrong, european] = await readUnits(text);
    expect(wrong).toMatchObject({
      unit: { vinChecksum: 'failed' },
      flags: [{ flag: 'vin_checksum_failed', column: 'VIN' }],
    });
    expect(european).toMatchObject({ unit: { vinChecksum: 'not_applicable' } });
    const strict = await readRows(text, readingWith({}, { vinChecksum: 'quarantine' }));
    expect(strict.map((row) => (row.kind === 'quarantined' ? row.reason : row.kind))).toEqual([
      'vin_checksum_failed',
      'unit',
    ]);
  });
});

describe('one car or stock number twice', () => {
  const check = async (...lines: readonly string[]) =>
    checkFeed(inMemoryFeed([HEADER, ...lines, ''].join('\n')), readingWith());

  it('collapses the identical row with a note', async () => {
    const report = await check(line(1), line(2), line(1));
    expect(report.tally).toMatchObject({ publishable: 2, collapsed: 1 });
    expect(report.collapsed).toMatchObject([{ line: 4, reason: 'duplicate_identical', sameAsLine: 2 }]);
  });

  it('quarantines both of differing rows', async () => {
    const report = await check(line(1), line(2), line(1, { price: '20995' }));
    expect(report.tally).toMatchObject({ publishable: 1, quarantined: 2 });
    expect(report.quarantined.map((note) => [note.line, note.reason])).toEqual([
      [2, 'duplicate_conflict'],
      [4, 'duplicate_conflict'],
    ]);
  });

  it('flags a stock number of two cars', async () => {
    const report = await check(line(1), line(2).replace('S2', 'S1'));
    expect(report.tally).toMatchObject({ publishable: 2, flags: { stock_number_shared: 2 } });
  });
});

describe('files that cannot be read as a whole', () => {
  it.each([
    ['', 'empty_file'],
    ['\ufeff', 'empty_file'],
    [' \n\n', 'empty_file'],
    ['a,b,c\n1,2,3\n', 'format_unrecognised'],
    ['VIN,NewUsed,VDPUrl\n', 'required_column_missing'],
    [`${HEADER},vin\n`, 'duplicate_column'],
  ])('%j: %s', async (text, problem) => {
    await expect(readRows(text)).rejects.toMatchObject({ problem });
  });

  it('names the missing columns', async () => {
    await expect(readRows('VIN,NewUsed,VDPUrl\n')).rejects.toMatchObject({
      where: { columns: ['StockNumber', 'Year', 'Make', 'Model', 'Price'] },
    });
  });

  it('refuses an unknown profile, a document of the wrong kind, and rooftops by a key that the file does not have', async () => {
    const rooftops = { kind: 'by_key', keys: { a: 'roof.a' } } as const;
    await expect(readRows(HEADER, readingWith({ profile: 'nope' }))).rejects.toMatchObject({
      problem: 'profile_unknown',
    });
    await expect(readRows(HEADER, readingWith({ profile: 'dealercom-json' }))).rejects.toMatchObject({
      problem: 'format_unrecognised',
    });
    await expect(readRows(HEADER, readingWith({ rooftops }))).rejects.toMatchObject({
      problem: 'required_column_missing',
    });
  });

  it('does not mind a repeated column that nobody reads', async () => {
    const text = `${HEADER},Note,Note\n${line(1)},x,y\n`;
    expect(await readUnits(text)).toHaveLength(1);
  });

  it('reads a header without rows as no rows', async () => {
    expect(await readRows(`${HEADER}\n`)).toEqual([]);
    expect(await readRows(HEADER)).toEqual([]);
  });
});

describe('columns that are configured', () => {
  const text = `${HEADER},Special,MSRP,Invoice,Dealer Cost\n${line(1)},17995,25000,100,90\n`;
  const read = (settings: Parameters<typeof readingWith>[1]) => readUnits(text, readingWith({}, settings));

  it('replace the order of price columns', async () => {
    const [row] = await read({ priceColumns: ['Special', 'InternetPrice'] });
    expect(row?.unit.advertisedPrice?.amount_minor).toBe(1799500);
    expect(row?.columns.advertisedPrice).toBe('Special');
  });

  it('replace single headers', async () => {
    const [row] = await read({ headerOverrides: { stock_number: 'Special' } });
    expect(row?.unit.stockNumber).toBe('17995');
  });

  it.each([['Invoice'], ['Dealer Cost'], ['MSRP'], ['Nowhere']])('never reach %s as a price', async (column) => {
    await expect(read({ priceColumns: [column] })).rejects.toMatchObject({
      problem: 'required_column_missing',
      where: { columns: [column] },
    });
    await expect(read({ headerOverrides: { advertised_price: column } })).rejects.toMatchObject({
      problem: 'required_column_missing',
    });
  });

  it('never let cost and invoice into a unit', async () => {
    const [row] = await read({});
    expect(row?.unit.listPrice?.amount_minor).toBe(2500000);
    expect(JSON.stringify({ ...row, fingerprint: '' })).not.toMatch(/"amount_minor":(?:10000|9000)\b/);
  });
});

describe('a price above the list price', () => {
  const text = [
    `${HEADER},MSRP`,
    `${line(1, { price: '19995' })},18000`,
    `${line(2, { price: '17995' })},18000`,
    '',
  ].join('\n');

  it('is taken as it is where the format says nothing of it, and quarantined where the policy of the dealer asks for it', async () => {
    expect((await checkFeed(inMemoryFeed(text), readingWith())).tally.quarantined).toBe(0);
    const { tally, quarantined } = await checkFeed(
      inMemoryFeed(text),
      readingWith({}, { priceConflict: 'quarantine' }),
    );
    expect(tally).toMatchObject({ publishable: 1, quarantined: 1 });
    expect(quarantined).toMatchObject([{ line: 2, reason: 'price_conflict' }]);
  });
});
