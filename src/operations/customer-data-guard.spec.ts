import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateInventory } from '../demo/inventory-generator.js';
import { newErrorId, newRequestId, newSnapshotId, newTraceId, vehicleIdOf } from '../kernel/ids.js';
import { findCustomerData } from './customer-data-guard.js';

const kinds = (input: unknown): readonly string[] =>
  findCustomerData(input).map(({ pointer, explanation }) => `${pointer} ${explanation.split(';')[0] ?? ''}`);

describe('The customer-data guard', () => {
  it.each([
    ['jane.doe@example.com', 'an e-mail address'],
    ['a used civic please, answer to JANE+cars@mail.example.co.uk!', 'an e-mail address'],
    ['ｊａｎｅ＠example.com', 'an e-mail address'],
    ['jane\u200b@example.com', 'an e-mail address'],
    ['212\ufe0f-555\u{e0041}-1234', 'a telephone number'],
    ['call 212-555-1234', 'a telephone number'],
    ['call (212) 555-1234 about the civic', 'a telephone number'],
    ['+1 212 555 1234', 'a telephone number'],
    ['212.555.1234', 'a telephone number'],
    ['my number is 2125551234.', 'a telephone number'],
    ['call me at 555-123-4567', 'a telephone number'],
    ['123.456.7890', 'a telephone number'],
    ['0044 20 7946 0958', 'a telephone number'],
    ['+1 (123) 456-7890', 'a telephone number'],
    ['budget 30000 212-555-1234', 'a telephone number'],
    ['tel:+442079460958', 'a telephone number'],
    ['+49 (89) 1234-5678', 'a telephone number'],
    ['２１２-５５５-１２３４', 'a telephone number'],
    ['123-45-6789', 'a social security number'],
    ['ssn 123 45 6789', 'a social security number'],
    ['4111 1111 1111 1111', 'a payment card number'],
    ['pay with 5555555555554444', 'a payment card number'],
    ['3782-822463-10005', 'a payment card number'],
    ['2223003122003222', 'a payment card number'],
  ])('finds what %j is', (text, kind) => {
    expect(kinds({ query: text })).toEqual([`/query looks like ${kind}`]);
    expect(JSON.stringify(findCustomerData({ query: text }))).not.toContain(text);
  });

  it('names every place, in lists and below odd member names, with one keyword', () => {
    const found = findCustomerData({
      query: 'civic',
      filters: { make: ['honda', 'a@example.com'], 'a/b~c': '123-45-6789' },
      rooftop_ids: ['212-555-1234', 'roof.one'],
    });
    expect(found.map(({ pointer, keyword }) => [pointer, keyword])).toEqual([
      ['/filters/make/1', 'customer_data'],
      ['/filters/a~1b~0c', 'customer_data'],
      ['/rooftop_ids/0', 'customer_data'],
    ]);
  });

  it.each([
    'honda civic 2019',
    'f-150 under 45000',
    '2500 3500 4500 5500',
    '2018 2019 2020 2021',
    '300 350 2019',
    'mercedes e 350 4matic 2020',
    '1HGCM82633A004352',
    'bmw 3-series 330i xdrive',
    '$25,000 to $30,000',
    '4111 1111 1111 1112',
    '1234567890123456',
    'mazda cx-5 @ downtown',
    '000-12-3456',
    '12345-6789',
    'under 0040000',
    '00125 mpg 2019',
    '2026-11-30T07:00:00-05:00',
  ])('lets a shopper ask for %j', (query) => {
    expect(kinds({ query })).toEqual([]);
  });

  it('reads no number into a name: only a whole value that is written like a person’s', () => {
    expect(kinds({ stock_number: '2125551234' })).toEqual([]);
    expect(kinds({ stock_number: 'P-212-555-1234-A' })).toEqual([]);
    expect(kinds({ vehicle_id: 'veh.2125551234' })).toEqual([]);
    expect(kinds({ stock_number: '123-456-7890' })).toEqual([]); // assigned to nobody, and as good a stock number as any
    expect(kinds({ stock_number: '212-555-1234' })).toEqual(['/stock_number looks like a telephone number']);
  });

  it('takes every value of the demo inventory, wherever it stands', () => {
    const csv = [...generateInventory({ ...DEMO, units: 400 })].join('');
    const [head = '', ...rows] = csv.trim().split('\n');
    const columns = head.split(',');
    for (const row of rows) {
      const cells = row.split(',');
      const at = (name: string): string => cells[columns.indexOf(name)] ?? '';
      const words = ['year', 'make', 'model', 'trim', 'stock_number', 'vin'].map(at);
      const input = {
        vin: at('vin'),
        stock_number: at('stock_number'),
        query: words.join(' '),
        filters: { make: [at('make')], model: [at('model')], price: at('advertised_price_minor') },
      };
      expect(kinds(input)).toEqual([]);
      expect(kinds({ query: at('vin') })).toEqual([]);
      expect(kinds({ query: at('stock_number') })).toEqual([]);
    }
  });

  it('takes every id that is minted here, and every cursor, VIN, price and year', () => {
    const id = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((seed) => vehicleIdOf(seed, '1HGCM82633A004352'));
    const stock = fc.stringMatching(/^[A-Z]{0,2}[0-9]{1,9}[A-Z]?$/);
    const vin = fc.stringMatching(/^[A-HJ-NPR-Z0-9]{17}$/);
    const cursor = fc.uint8Array({ minLength: 60, maxLength: 400 }).map((b) => Buffer.from(b).toString('base64url'));
    const year = fc.integer({ min: 1900, max: 2040 });
    const price = fc.integer({ min: 1, max: 999_999 });
    fc.assert(
      fc.property(id, stock, vin, cursor, fc.uuid(), year, price, (vehicle_id, stock_number, v, c, uuid, y, p) => {
        const made = [newTraceId(), newRequestId(), newErrorId(), newSnapshotId(), uuid];
        expect(kinds({ vehicle_id, stock_number, vin: v, page: { cursor: c }, rooftop_ids: made })).toEqual([]);
        expect(kinds({ query: `${y} honda under ${p}` })).toEqual([]);
        expect(kinds({ query: `${y} ${p}` })).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('never says what it found', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const said = JSON.stringify(findCustomerData({ query: `mail ${address} please` }));
        expect(said).not.toContain(address);
      }),
    );
  });
});

const DEMO = {
  organizationId: 'org.demo',
  rooftopId: 'roof.demo',
  rooftopNumber: 1,
  observedAt: Date.UTC(2026, 10, 30),
  badRowShare: 0,
};
