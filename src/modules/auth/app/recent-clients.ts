import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { AgentClientDirectory, AgentClientStore, KnownClient } from './agent-client-store.js';
import { BriefMemory, REVOCABLE_REMEMBERED_MS } from './brief-memory.js';
import type { GrantStore } from './grant-store.js';

const MOST = 10_000;

/** Looks clients and their grants up inside their tenant, and remembers them for a moment. */
export class RecentClients implements AgentClientDirectory {
  private readonly recent: BriefMemory<KnownClient | undefined>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clients: AgentClientStore,
    private readonly grants: GrantStore,
    clock: Clock,
  ) {
    this.recent = new BriefMemory(REVOCABLE_REMEMBERED_MS, MOST, clock);
  }

  find(organizationId: string, issuer: string, clientId: string): Promise<KnownClient | undefined> {
    return this.recent.of(JSON.stringify([organizationId, issuer, clientId]), () =>
      this.unitOfWork.withTenant(organizationId, async (tx) => {
        const client = await this.clients.findNamed(tx, issuer, clientId);
        if (client === undefined) return undefined;
        const grant = client.grantId === null ? undefined : await this.grants.find(tx, client.grantId);
        return { client, grant };
      }),
    );
  }
}
