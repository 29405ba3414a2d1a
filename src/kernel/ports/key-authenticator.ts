import type { StaffCaller } from '../caller.js';

/** Port: turns an `Authorization` header into a caller. */
export interface KeyAuthenticator {
  /**
   * @param header the whole header value, or undefined when none was sent
   * @param network what the caller is limited by
   * @param address from the trusted-proxy setting; without one no key counts that is bound to networks
   * @throws Failure `caller.unauthenticated` without a header, `caller.credential_invalid` for anything malformed, unknown, expired or
   *   revoked, `caller.network_forbidden` for a key that may not be used from the address.
   */
  authenticate(header: string | undefined, network: string, address?: string): Promise<StaffCaller>;
}

export const KEY_AUTHENTICATOR = Symbol('KeyAuthenticator');
