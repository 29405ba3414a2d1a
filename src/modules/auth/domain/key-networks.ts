import ipaddr from 'ipaddr.js';

const MAPPED_BITS = 96;

/** The longest CIDR range: an IPv6 address of eight groups, and its prefix. */
export const NETWORK_MAX_LENGTH = 43;

/**
 * A CIDR range in the one form that is kept: `10.0.0.0/8`, `2001:db8::/32`; a single address is a range of its own. What is
 * mapped into IPv6 (`::ffff:10.0.0.0/104`) is the IPv4 range that it stands for (ops contract, `forbidden_ip`).
 * @returns undefined for anything else, and for a range whose address has bits outside its prefix: it is not clear what was meant.
 */
export function networkOfText(text: string): string | undefined {
  const [address = '', bits, more] = text.split('/');
  if (more !== undefined || address.length > NETWORK_MAX_LENGTH) return undefined;
  const parsed = addressOfText(address);
  if (parsed === undefined) return undefined;
  const whole = parsed.toByteArray().length * 8;
  const prefix = bits === undefined ? whole : /^(?:0|[1-9]\d{0,2})$/.test(bits) ? Number(bits) : whole + 1;
  if (prefix > whole) return undefined;
  const plain = plainOf(parsed, prefix);
  if (plain === undefined) return undefined;
  const [range, length] = plain;
  return hasBitsAfter(range, length) ? undefined : `${range.toString()}/${length}`;
}

/**
 * Whether a key may be used from an address. Without ranges: from everywhere. With ranges and without an address that can be
 * read: from nowhere.
 */
export function networksAllow(networks: readonly string[], address: string | undefined): boolean {
  if (networks.length === 0) return true;
  const parsed = address === undefined ? undefined : addressOfText(address);
  if (parsed === undefined) return false;
  const plain = plainOf(parsed, parsed.toByteArray().length * 8)?.[0] ?? parsed;
  return networks.some((network) => {
    const [range, prefix] = ipaddr.parseCIDR(network);
    return range.kind() === plain.kind() && plain.match(range, prefix);
  });
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Only the usual forms: no octal, no missing parts, no zone. */
function addressOfText(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (text.includes('%') || !text.includes(':') || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.IPv6.parse(text);
}

/** IPv4 that is mapped into IPv6 as the IPv4 it is. A range that only begins above it is none that anybody can mean. */
function plainOf(address: Address, prefix: number): readonly [Address, number] | undefined {
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress()) return [address, prefix];
  return prefix < MAPPED_BITS ? undefined : [address.toIPv4Address(), prefix - MAPPED_BITS];
}

function hasBitsAfter(address: Address, prefix: number): boolean {
  return address
    .toByteArray()
    .some((byte, index) => (byte & (0xff >> Math.min(8, Math.max(0, prefix - index * 8)))) !== 0);
}
