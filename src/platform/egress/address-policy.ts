import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an address belongs to the public internet. Everything else is refused: loopback, private, link-local and with it
 * cloud metadata, carrier-grade NAT, multicast, reserved, and every form of IPv6 that carries an IPv4 address inside
 * (mapped, translated, 6to4, Teredo), which is judged as what it is: a way around.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && !isAlsoRefused(parsed);
}

/** Documentation, benchmarking and unallocated blocks that some versions of the range table count as unicast. */
const REFUSED = [
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fec0::/10',
  '::/96',
].map((range) => ipaddr.parseCIDR(range));

function isAlsoRefused(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return REFUSED.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
