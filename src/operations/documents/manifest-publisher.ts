import { JsonBytes } from '../../kernel/json-bytes.js';
import { LIMITS } from '../../kernel/limits.js';
import { rfc3339 } from '../../kernel/time.js';
import type { DealerDirectory, DealerGroup } from '../../modules/tenancy/index.js';
import type { OfferedProfile } from '../catalog.js';
import type { PublicLinks } from './public-links.js';

/** What a manifest says of this deployment. */
export interface GatewayFacts {
  readonly gatewayId: string;
  readonly operatorName: string;
  /** What the group offers; a profile that is not wholly offered is not listed (DAP-CORE-012). */
  readonly profiles: readonly OfferedProfile[];
}

export interface PublishedManifest {
  readonly body: JsonBytes;
  /** Milliseconds. */
  readonly expiresAt: number;
}

interface Issued extends PublishedManifest {
  readonly group: DealerGroup;
}

const MAX_ISSUED = 10_000;

/**
 * Issues one manifest per organization and validity window, so that tool and resource answer the very same instance. A change
 * of the group ends the window early.
 */
export class ManifestPublisher {
  private readonly issued = new Map<string, Issued>();

  constructor(
    private readonly directory: DealerDirectory,
    private readonly facts: (group: DealerGroup) => GatewayFacts,
    private readonly links: PublicLinks,
    private readonly statementDigest: (group: DealerGroup) => string,
  ) {}

  /** The manifest in force at `now`; undefined for an organization without rooftops, or none at all. */
  async publish(organizationId: string, now: number): Promise<PublishedManifest | undefined> {
    const group = await this.directory.find(organizationId);
    if (group === undefined || group.rooftops.length === 0) return undefined;
    const current = this.issued.get(organizationId);
    if (current !== undefined && current.expiresAt > now && sameGroup(current.group, group)) return current;
    const expiresAt = now + LIMITS.manifestLifetimeSeconds.value * 1000;
    const manifest: Issued = { group, expiresAt, body: JsonBytes.of(this.build(group, now, expiresAt)) };
    if (this.issued.size >= MAX_ISSUED) this.issued.clear();
    this.issued.set(organizationId, manifest);
    return manifest;
  }

  private build(group: DealerGroup, now: number, expiresAt: number): Record<string, unknown> {
    const { gatewayId, operatorName, profiles } = this.facts(group);
    const policyUri = this.links.policy(group.organizationId);
    return {
      standard: 'dealer-agent-protocol',
      standard_version: '0.1',
      mcp_revision: '2026-07-28',
      gateway_id: gatewayId,
      operator: { name: operatorName },
      organization_ids: [group.organizationId],
      rooftop_ids: group.rooftops.map((r) => r.rooftopId),
      capabilities: profiles.map((p) => ({ ...p, status: 'experimental' })),
      resources: ['dealeragent://manifest'],
      auth_modes: ['public'],
      tenant_routing: {
        organization_id_required: true,
        rooftop_id_required_for_unit_reads: true,
        group_delegation_explicit: true,
      },
      schema_base_uri: this.links.schemas(),
      policy_uri: policyUri,
      authority_policy: {
        uri: `${policyUri}#authority`,
        inventory_max_age_seconds: Math.max(...group.rooftops.map((r) => r.settings.freshness_sla_seconds.inventory)),
        authoritative_availability_required_for_actions: true,
      },
      freshness_sla_seconds: Object.fromEntries(
        group.rooftops.map((r) => [r.rooftopId, r.settings.freshness_sla_seconds]),
      ),
      conformance: {
        claim_uri: this.links.statement(group.organizationId),
        claim_digest: this.statementDigest(group),
      },
      issued_at: rfc3339(now),
      expires_at: rfc3339(expiresAt),
    };
  }
}

const sameGroup = (a: DealerGroup, b: DealerGroup): boolean =>
  a === b ||
  (a.updatedAt === b.updatedAt &&
    a.rooftops.length === b.rooftops.length &&
    a.rooftops.every((r, i) => r.rooftopId === b.rooftops[i]?.rooftopId && r.updatedAt === b.rooftops[i].updatedAt));
