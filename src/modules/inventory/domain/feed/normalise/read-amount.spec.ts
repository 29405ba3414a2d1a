import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMajorAmount, readMinorAmount } from './read-amount.js';

const read = (
  text: string,
  currency = 'USD',
  style: 'decimal_point' | 'decimal_comma' = 'decimal_point',
): number | string => {
  const reading = readMajorAmount(text, currency, style);
  if (reading.kind === 'amount') return reading.minor;
  return reading.kind === 'unknown' ? 'unknown' : reading.reason;
};

describe('reading amounts of major units', () => {
  it.each([
    ['$74,590.10', 7459010],
    ['19.99', 1999],
    ['    12095.00', 1209500],
    ['24995 $', 2499500],
    ['18000 USD', 1800000],
    ['10,499.00 USD', 1049900],
    ['USD 10499', 1049900],
    ['US$ 10499', 1049900],
    ['85 000', 8500000],
    ['85\u00a0000\u202f', 8500000],
    ['2', 200],
  ])('%j is %s cents', (text, minor) => {
    expect(read(text)).toBe(minor);
  });

  it.each([
    '',
    ' ',
    '0',
    '0.00',
    '$0',
    '0 USD',
    '1',
    '1.00',
    '999999',
    '$999,999',
    'Call',
    'Call for price',
    'Please call',
  ])('%j means that the price is unknown', (text) => {
    expect(read(text)).toBe('unknown');
  });

  it.each(['TBD', 'N/A', '#N/A', 'n/a', '-', '--', 'Call 555-0142', 'Contact us', 'null', 'None', '$'])(
    'so does %j',
    (text) => {
      expect(read(text)).toBe('unknown');
    },
  );

  it.each([
    '19.999',
    '28.000',
    '28.995,00',
    '1.234,56',
    '-18995',
    '(18995)',
    '12,34',
    '1,2345',
    '18995.',
    '1e5',
    '12a',
    '0x10',
    'cheap',
  ])('%j is refused, never rounded or guessed', (text) => {
    expect(read(text)).toBe('price_invalid');
  });

  it('counts the decimals of the currency', () => {
    expect(read('¥500000', 'JPY')).toBe(500000);
    expect(read('12.345', 'KWD')).toBe(12345);
    expect(read('12.5', 'JPY')).toBe('price_invalid');
  });

  it.each([
    ['18995 EUR', 'USD'],
    ['18995 CAD', 'USD'],
    ['€18995', 'USD'],
    ['C$18995', 'USD'],
    ['$18995', 'JPY'],
  ])('%j is not expected in a feed of %s', (text, currency) => {
    expect(read(text, currency)).toBe('currency_unexpected');
  });

  it('reads the decimal comma only where it is configured, and then not the point', () => {
    expect(read('1.234,56', 'CAD', 'decimal_comma')).toBe(123456);
    expect(read('24 995 $', 'CAD', 'decimal_comma')).toBe(2499500);
    expect(read('1,234.56', 'CAD', 'decimal_comma')).toBe('price_invalid');
  });

  it('is exact for every amount, however it is written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 99_999_899 }),
        fc.boolean(),
        fc.constantFrom('', '$', 'USD '),
        (minor, grouped, mark) => {
          const whole = String(Math.floor(minor / 100));
          const text = grouped ? whole.replace(/\B(?=(?:\d{3})+$)/g, ',') : whole;
          expect(read(`${mark}${text}.${String(minor % 100).padStart(2, '0')}`)).toBe(minor);
        },
      ),
    );
  });
});

describe('reading amounts of minor units', () => {
  it('takes them as written, also those that would be placeholders in dollars; only 0 and nothing are unknown', () => {
    expect(readMinorAmount('1')).toEqual({ kind: 'amount', minor: 1 });
    expect(readMinorAmount('999999')).toEqual({ kind: 'amount', minor: 999999 });
    expect(readMinorAmount('0').kind).toBe('unknown');
    expect(readMinorAmount('').kind).toBe('unknown');
  });

  it.each(['28995.50', '-100', '$100', 'Call', '1e3', '9'.repeat(16)])('refuses %j', (text) => {
    expect(readMinorAmount(text)).toEqual({ kind: 'refused', reason: 'price_invalid' });
  });
});
