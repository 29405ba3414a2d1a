import type { AgentCaller } from '../caller.js';

/** Port: turns the `Authorization` header of a protocol surface into the agent that sent it. */
export interface AgentAuthenticator {
  /**
   * @param header the whole header value: its absence is for the surface to judge, so it is not undefined here
   * @throws Failure `caller.credential_invalid` for anything malformed, unknown, expired or revoked, the grant included;
   *   `caller.role_forbidden` for keys of staff; `grant.scope_insufficient` for a key that carries no grant.
   */
  authenticate(header: string, network: string): Promise<AgentCaller>;
}

export const AGENT_AUTHENTICATOR = Symbol('AgentAuthenticator');
