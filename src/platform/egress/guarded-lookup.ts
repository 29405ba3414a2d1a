import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isPublicAddress } from './address-policy.js';
import { EgressRefused } from './egress-refused.js';

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** How a name becomes addresses; replaced in tests. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const resolveAll: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * A `lookup` for sockets that answers with checked addresses only. The socket connects to what is returned here and never
 * resolves again, so a name cannot change its address between the check and the connection. One refused address refuses
 * the name: a public name does not have private ones.
 */
export function guardedLookup(
  resolve: Resolve = resolveAll,
): (hostname: string, options: LookupOptions, callback: LookupCallback) => void {
  return (hostname, options, callback) => {
    checkedAddresses(hostname, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => {
        callback(error as Error, []);
      },
    );
  };
}

async function checkedAddresses(hostname: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new EgressRefused('host_unknown', cause);
  });
  if (addresses.length === 0) throw new EgressRefused('host_unknown');
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw new EgressRefused('address_refused');
  return addresses;
}
