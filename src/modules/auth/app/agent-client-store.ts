import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AgentClient } from '../domain/agent-client.js';

/** Port: finds the client that a token names. */
export interface AgentClientDirectory {
  /**
   * The client in force, else the one that was revoked last; undefined where there never was one.
   * @throws Failure `upstream.unavailable` or `limit.busy` when that cannot be known.
   */
  find(organizationId: string, issuer: string, clientId: string): Promise<AgentClient | undefined>;
}

/** Port: keeps the agent clients of one organization. */
export interface AgentClientStore {
  /** @returns false where the issuer has a client of this name in force. */
  insert(tx: TenantTransaction, client: AgentClient): Promise<boolean>;
  find(tx: TenantTransaction, agentClientId: string): Promise<AgentClient | undefined>;
  /** The one in force, else the one revoked last. */
  findNamed(tx: TenantTransaction, issuer: string, clientId: string): Promise<AgentClient | undefined>;
  /** By id, revoked ones included, those behind `after`. */
  list(
    tx: TenantTransaction,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly AgentClient[]>;
  /** @returns false where the version in force is another one, or the client was revoked. */
  attachGrant(tx: TenantTransaction, expected: AgentClient, grantId: string): Promise<boolean>;
  revoke(tx: TenantTransaction, agentClientId: string, at: number): Promise<void>;
  /** Those that were in force at a moment or later, in milliseconds. */
  inForceSince(tx: TenantTransaction, moment: number): Promise<readonly AgentClient[]>;
}
