import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { AgentClient } from '../domain/agent-client.js';
import type { AgentClientDirectory, AgentClientStore } from './agent-client-store.js';
import { BriefMemory, REVOCABLE_REMEMBERED_MS } from '../../../kernel/brief-memory.js';

const MOST = 10_000;

/** Looks clients up inside their tenant, and remembers for a moment what it found: tokens of strangers come here, too. */
export class RecentClients implements AgentClientDirectory {
  private readonly recent: BriefMemory<AgentClient | undefined>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clients: Pick<AgentClientStore, 'findNamed'>,
    clock: Clock,
  ) {
    this.recent = new BriefMemory(REVOCABLE_REMEMBERED_MS, MOST, clock);
  }

  find(organizationId: string, issuer: string, clientId: string): Promise<AgentClient | undefined> {
    return this.recent.of(JSON.stringify([organizationId, issuer, clientId]), () =>
      this.unitOfWork.withTenant(organizationId, (tx) => this.clients.findNamed(tx, issuer, clientId)),
    );
  }
}
