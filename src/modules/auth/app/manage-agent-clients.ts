import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newAgentClientId } from '../../../kernel/ids.js';
import type { RevocationJournal } from '../../../kernel/ports/restore-journal.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type Clock, rfc3339 } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { AgentClient } from '../domain/agent-client.js';
import { refusalOfGrant } from '../domain/grant-record.js';
import type { AccessChanges } from './access-change.js';
import type { AgentClientStore } from './agent-client-store.js';
import type { GrantStore } from './grant-store.js';

export interface NewAgentClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly name: string;
  readonly grantId?: string;
}

export interface ManageAgentClientsParts {
  readonly unitOfWork: UnitOfWork;
  readonly store: AgentClientStore;
  readonly grants: GrantStore;
  readonly changes: AccessChanges;
  readonly journal: RevocationJournal;
  readonly clock: Clock;
}

/**
 * Use cases: which OAuth clients an organization knows, and which grant each carries. Every process follows within two
 * seconds (recent-clients.ts).
 */
export class ManageAgentClients {
  constructor(private readonly parts: ManageAgentClientsParts) {}

  /** By id, revoked ones included. */
  list(
    organizationId: string,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly AgentClient[]> {
    const { unitOfWork, store } = this.parts;
    return unitOfWork.withTenant(organizationId, (tx) => store.list(tx, page));
  }

  /** @throws Failure `resource.not_found`. */
  get(organizationId: string, agentClientId: string): Promise<AgentClient> {
    return this.parts.unitOfWork.withTenant(organizationId, (tx) => this.existing(tx, agentClientId));
  }

  /** @throws Failure `input.invalid` for a grant that is not in force, `state.conflict` for a client that is known already. */
  create(organizationId: string, { grantId, ...named }: NewAgentClient, origin: ChangeOrigin): Promise<AgentClient> {
    const { unitOfWork, store, clock } = this.parts;
    const client: AgentClient = {
      ...named,
      agentClientId: newAgentClientId(),
      version: 1,
      grantId: grantId ?? null,
      createdAt: clock.now(),
      revokedAt: null,
    };
    return unitOfWork.withTenant(organizationId, async (tx) => {
      if (grantId !== undefined) await this.checkGrant(tx, grantId);
      if (!(await store.insert(tx, client))) throw new Failure('state.conflict', { auditReason: 'client_known' });
      await this.record(tx, origin, 'agent_clients.create', null, client);
      return client;
    });
  }

  /**
   * @param expected versions that the caller has seen
   * @throws Failure `resource.not_found`, `input.precondition`, `input.invalid` for a grant that is not in force,
   *   `state.conflict` for a client that was revoked.
   */
  attachGrant(
    organizationId: string,
    agentClientId: string,
    grantId: string,
    expected: readonly number[] | undefined,
    origin: ChangeOrigin,
  ): Promise<AgentClient> {
    if (expected === undefined) throw new Failure('input.precondition', { reason: 'precondition_required' });
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await this.existing(tx, agentClientId);
      if (!expected.includes(before.version)) throw preconditionFailed();
      if (before.revokedAt !== null) throw new Failure('state.conflict', { auditReason: 'client_revoked' });
      await this.checkGrant(tx, grantId);
      if (!(await this.parts.store.attachGrant(tx, before, grantId))) throw preconditionFailed();
      const after = { ...before, grantId, version: before.version + 1 };
      await this.record(tx, origin, 'agent_clients.attach_grant', before, after);
      return after;
    });
  }

  /** What was revoked before stays as it was. @throws Failure `resource.not_found`. */
  revoke(organizationId: string, agentClientId: string, origin: ChangeOrigin): Promise<void> {
    const { unitOfWork, store, journal, clock } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const before = await this.existing(tx, agentClientId);
      const now = clock.now();
      await store.revoke(tx, agentClientId, now);
      const after = await this.existing(tx, agentClientId);
      await this.record(tx, origin, 'agent_clients.revoke', before, after);
      await journal.note(tx, { what: 'client', id: agentClientId, revokedAt: rfc3339(before.revokedAt ?? now) });
    });
  }

  private async existing(tx: TenantTransaction, agentClientId: string): Promise<AgentClient> {
    const client = await this.parts.store.find(tx, agentClientId);
    if (client === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    return client;
  }

  private async checkGrant(tx: TenantTransaction, grantId: string): Promise<void> {
    const grant = await this.parts.grants.find(tx, grantId);
    if (grant !== undefined && refusalOfGrant(grant, this.parts.clock.now()) === undefined) return;
    const explanation = 'must be a grant of this organization that is in force';
    throw new Failure('input.invalid', { violations: [{ pointer: '/grant_id', keyword: 'enum', explanation }] });
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    operation: string,
    before: AgentClient | null,
    after: AgentClient,
  ): Promise<void> {
    const resourceIds = [after.agentClientId, ...(after.grantId === null ? [] : [after.grantId])];
    return this.parts.changes.record(tx, origin, { operation, resourceIds, hashes: changeHashes(before, after) });
  }
}

const preconditionFailed = (): Failure => new Failure('input.precondition', { reason: 'precondition_failed' });
