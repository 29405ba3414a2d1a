import type { AgentCaller } from '../caller.js';

/** Where and how a credential was presented, for what only counts at one place. */
export interface Presented {
  /** Canonical URI of the endpoint (RFC 9728): what the audience of a token must equal. */
  readonly resource: string;
  /** The organization of the endpoint; undefined where the path names none and no default is configured. */
  readonly organizationId: string | undefined;
  readonly method: string;
  /** The `DPoP` header (RFC 9449). */
  readonly proof: string | undefined;
}

/** Port: turns the `Authorization` header of a protocol surface into the agent that sent it. */
export interface AgentAuthenticator {
  /**
   * @param address from the trusted-proxy setting; without one no key counts that is bound to networks
   * @param header the whole header value: its absence is for the surface to judge, so it is not undefined here
   * @param presented absent where no tokens are taken, but API keys alone
   * @throws Failure `caller.credential_invalid` for anything malformed, unknown, expired or revoked, the grant included;
   *   `caller.network_forbidden` for a key that may not be used from the address; `caller.role_forbidden` for keys of staff; `grant.scope_insufficient` for a key that carries no grant.
   */
  authenticate(header: string, network: string, address?: string, presented?: Presented): Promise<AgentCaller>;
}

export const AGENT_AUTHENTICATOR = Symbol('AgentAuthenticator');
