import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOfText, networksAllow } from './key-networks.js';

describe('a network of a key', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::/0', '::/0'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:cb00:7107/128', '203.0.113.7/32'],
  ])('%s is kept as %s', (text, kept) => {
    expect(networkOfText(text)).toBe(kept);
  });

  it.each([
    '',
    '/',
    '10',
    '10.0.0/8',
    '010.0.0.0/8',
    '0x0a.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.1/8',
    '2001:db8::1/32',
    '2001:db8::/129',
    'fe80::1%eth0/64',
    '::ffff:0:0/90',
    'example.com/8',
    ' 10.0.0.0/8',
  ])('%j is none', (text) => {
    expect(networkOfText(text)).toBeUndefined();
  });
});

describe('a key with networks', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '10.0.0.1', false],
    ['2001:db8:1::/48', '2001:db8:1:2::3', true],
    ['2001:db8:1::/48', '2001:db8:2::3', false],
    ['2001:db8:1:2::3/128', '2001:db8:1:2::4', false], // the /64 that limits count by would not tell them apart
  ])('of %s is accepted from %s: %s', (network, address, accepted) => {
    expect(networksAllow([network], address)).toBe(accepted);
  });

  it('is accepted from nowhere when the address is not known', () => {
    expect(networksAllow(['0.0.0.0/0'], undefined)).toBe(false);
    expect(networksAllow(['0.0.0.0/0'], 'local')).toBe(false);
    expect(networksAllow([], undefined)).toBe(true);
  });

  it('holds every address of its ranges, written either way, and none beside them', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), fc.integer({ min: 1, max: 32 }), (octets, prefix) => {
        const value = octets.reduce((sum, o) => sum * 256 + o, 0);
        const size = 2 ** (32 - prefix);
        const first = Math.floor(value / size) * size;
        const text = (n: number): string => [24, 16, 8, 0].map((s) => Math.floor(n / 2 ** s) % 256).join('.');
        const network = networkOfText(`${text(first)}/${prefix}`) ?? '';
        expect(networksAllow([network], text(value))).toBe(true);
        expect(networksAllow([network], `::ffff:${text(value)}`)).toBe(true);
        expect(networksAllow([network], text((first + size) % 2 ** 32))).toBe(false);
      }),
    );
  });
});
