import type { Revocations } from '../../../kernel/ports/revocations.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AccessSnapshots, SnapshotSection } from '../../access-snapshots/index.js';
import { checkClientContent } from '../domain/client-content.js';
import type { AgentClient } from '../domain/agent-client.js';
import type { TrustedIssuerRecord } from '../domain/trusted-issuer-record.js';
import type { AgentClientDirectory } from './agent-client-store.js';
import type { TrustedIssuers } from './trusted-issuer-store.js';

/** The part of clients and issuers in the access snapshot. */
export interface ClientContent {
  /** Those in force, and those that ended lately. */
  readonly clients: readonly AgentClient[];
  /** Those in force, by id. */
  readonly issuers: readonly TrustedIssuerRecord[];
}

interface OfOrganization {
  readonly clients: ReadonlyMap<string, AgentClient>;
  readonly issuers: readonly TrustedIssuerRecord[];
}

const NO_ISSUERS: readonly TrustedIssuerRecord[] = [];

/**
 * Agent clients and trusted issuers by heart (decision record 0037): access tokens count without the database as well as keys
 * do. A client that was revoked, and an issuer that is trusted no longer, are so in the moment that it is heard of, whatever the
 * snapshot says.
 */
export class KnownClients implements AgentClientDirectory, TrustedIssuers {
  private readonly organizations = new Map<string, OfOrganization>();

  /** To be registered with SnapshotSections. */
  readonly section: SnapshotSection<ClientContent>;

  /** @param unknown where to look for clients that are not known by heart */
  constructor(
    load: (tx: TenantTransaction) => Promise<ClientContent>,
    private readonly snapshots: Pick<AccessSnapshots, 'of' | 'assertCurrent'>,
    private readonly unknown: AgentClientDirectory,
    private readonly revocations: Revocations,
  ) {
    this.section = {
      name: 'auth.clients',
      load,
      validate: (content) => {
        checkClientContent(content);
        return content as ClientContent;
      },
      changed: (organizationId, content) => {
        if (content === undefined) this.organizations.delete(organizationId);
        else this.organizations.set(organizationId, byName(content));
      },
    };
  }

  async find(organizationId: string, issuer: string, clientId: string): Promise<AgentClient | undefined> {
    const held = this.held(organizationId, issuer, clientId);
    if (held !== undefined && this.endOf(organizationId, held) !== undefined) return this.withEnd(organizationId, held);
    await this.snapshots.of(organizationId, this.section);
    this.snapshots.assertCurrent(organizationId);
    const client =
      this.held(organizationId, issuer, clientId) ?? (await this.unknown.find(organizationId, issuer, clientId));
    return client && this.withEnd(organizationId, client);
  }

  async inForce(organizationId: string): Promise<readonly TrustedIssuerRecord[]> {
    await this.snapshots.of(organizationId, this.section);
    this.snapshots.assertCurrent(organizationId);
    const issuers = this.organizations.get(organizationId)?.issuers ?? NO_ISSUERS;
    return issuers.filter((record) => !this.hasEnded(organizationId, record));
  }

  private held(organizationId: string, issuer: string, clientId: string): AgentClient | undefined {
    return this.organizations.get(organizationId)?.clients.get(nameOf(issuer, clientId));
  }

  /** The end of a trust does not wait for a newer snapshot. */
  private hasEnded(organizationId: string, { trustedIssuerId }: TrustedIssuerRecord): boolean {
    return this.revocations.endOf('issuer', organizationId, trustedIssuerId) !== undefined;
  }

  private endOf(organizationId: string, { agentClientId }: AgentClient): number | undefined {
    return this.revocations.endOf('agent_client', organizationId, agentClientId);
  }

  private withEnd(organizationId: string, client: AgentClient): AgentClient {
    const end = this.endOf(organizationId, client);
    return end === undefined ? client : { ...client, revokedAt: Math.min(end, client.revokedAt ?? end) };
  }
}

/** Of several of one name the one in force, else the one that was revoked last. */
function byName({ clients, issuers }: ClientContent): OfOrganization {
  const named = new Map<string, AgentClient>();
  for (const client of clients) {
    const name = nameOf(client.issuer, client.clientId);
    const other = named.get(name);
    if (other === undefined || (client.revokedAt ?? Infinity) > (other.revokedAt ?? Infinity)) named.set(name, client);
  }
  return { clients: named, issuers: issuers.map(withTrustId) };
}

const withTrustId = (record: TrustedIssuerRecord): TrustedIssuerRecord => ({
  ...record,
  trust: { ...record.trust, trustId: record.trustedIssuerId },
});

const nameOf = (issuer: string, clientId: string): string => JSON.stringify([issuer, clientId]);
