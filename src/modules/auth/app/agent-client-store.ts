import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AgentClient } from '../domain/agent-client.js';
import type { GrantRecord } from '../domain/grant-record.js';

/** Whether a client is known, and what it carries. */
export interface KnownClient {
  readonly client: AgentClient;
  /** The newest version of its grant. */
  readonly grant: GrantRecord | undefined;
}

/** Port: finds what a token's client may do. What it answers is at most a second and a half old. */
export interface AgentClientDirectory {
  /**
   * The client in force, else the one that was revoked last; undefined where there never was one.
   * @throws Failure `upstream.unavailable` or `limit.busy` when the store does not answer.
   */
  find(organizationId: string, issuer: string, clientId: string): Promise<KnownClient | undefined>;
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
}
