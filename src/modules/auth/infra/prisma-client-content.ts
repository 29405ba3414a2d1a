import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AgentClientStore } from '../app/agent-client-store.js';
import type { ClientContent } from '../app/known-clients.js';
import type { TrustedIssuerStore } from '../app/trusted-issuer-store.js';

// What ended longer ago is found by asking the database, for the true reason in the audit trail.
const ENDED_LATELY_MS = 86_400_000;

/** Clients and issuers of the tenant, for the access snapshot. */
export async function loadClientContent(
  tx: TenantTransaction,
  clients: Pick<AgentClientStore, 'inForceSince'>,
  issuers: Pick<TrustedIssuerStore, 'inForce'>,
): Promise<ClientContent> {
  return {
    clients: await clients.inForceSince(tx, Date.now() - ENDED_LATELY_MS),
    issuers: await issuers.inForce(tx),
  };
}
