import type { StaffCaller } from '../caller.js';

/** Port: turns the access token of a staff person into a caller (RFC 9068; decision record 0033). */
export interface StaffAuthenticator {
  /**
   * @param header the whole header value; not an API key
   * @throws Failure `caller.credential_invalid` with the true reason for the audit record, `caller.role_forbidden` for a
   *   person whose groups give no role, `upstream.unavailable` when it cannot be told.
   */
  authenticate(header: string, network: string): Promise<StaffCaller>;
}

export const STAFF_AUTHENTICATOR = Symbol('StaffAuthenticator');
