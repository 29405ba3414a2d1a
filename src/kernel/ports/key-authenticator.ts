import type { StaffCaller } from '../caller.js';

/** Port: turns an `Authorization` header into a caller. */
export interface KeyAuthenticator {
  /**
   * @param header the whole header value, or undefined when none was sent
   * @throws Failure `caller.unauthenticated` without a header, `caller.credential_invalid` for anything malformed, unknown, expired or revoked.
   */
  authenticate(header: string | undefined, network: string): Promise<StaffCaller>;
}

export const KEY_AUTHENTICATOR = Symbol('KeyAuthenticator');
