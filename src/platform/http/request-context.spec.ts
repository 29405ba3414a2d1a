import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { addressOf, contextOf, networkOf } from './request-context.js';

const from = (ip: string): string => networkOf({ ip } as FastifyRequest);

describe('The network of a caller', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:40312', '203.0.113.7'],
    ['[2001:db8:1:2::1]:40312', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ])('%s is %s', (ip, network) => {
    expect(from(ip)).toBe(network);
  });

  it('is one for all hosts of an IPv6 subscriber and another for the next subscriber', () => {
    expect(from('2001:db8:1:2:aaaa::1')).toBe(from('2001:db8:1:2:bbbb::2'));
    expect(from('2001:db8:1:2::1')).not.toBe(from('2001:db8:1:3::1'));
  });
});

it('has an address without a port, whatever a proxy writes behind it', () => {
  const addresses = ['203.0.113.7', '203.0.113.7:40312', '[2001:db8::1]:40312', '2001:db8::1'];
  expect(addresses.map((ip) => addressOf({ ip }))).toEqual([
    '203.0.113.7',
    '203.0.113.7',
    '2001:db8::1',
    '2001:db8::1',
  ]);
});

describe('The context of a request', () => {
  it('is made once, and its trace id is that of its request id', () => {
    const request = { id: 'req_01J7DEALERAGENT0001ABCDEF' } as FastifyRequest;
    const context = contextOf(request);
    expect(contextOf(request)).toBe(context);
    expect(context).toMatchObject({ requestId: request.id, traceId: 'trc_01J7DEALERAGENT0001ABCDEF' });
  });
});
