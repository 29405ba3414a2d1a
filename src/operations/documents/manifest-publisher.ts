import type { Grant } from '../../kernel/caller.js';
import { JsonBytes } from '../../kernel/json-bytes.js';
import { LIMITS } from '../../kernel/limits.js';
import { rfc3339 } from '../../kernel/time.js';
import type { DealerDirectory, DealerGroup } from '../../modules/tenancy/index.js';
import type { OfferedProfile } from '../catalog.js';
import { visibleRooftops } from '../visible-rooftops.js';
import type { PublicLinks } from './public-links.js';

/** What a manifest says of this deployment. */
export interface GatewayFacts {
  readonly gatewayId: string;
  readonly operatorName: string;
  /** What the group offers; a profile that is not wholly offered is not listed (DAP-CORE-012). */
  readonly profiles: readonly OfferedProfile[];
  /** How callers may present themselves. `public` is always among them. */
  readonly authModes: readonly AuthMode[];
}

export type AuthMode = 'public' | 'oauth_2_1' | 'workload_identity';

/** What `resources/list` offers, in its order; a test holds both together. */
const OFFERED_RESOURCES = ['dealeragent://manifest'] as const;

export interface PublishedManifest {
  readonly body: JsonBytes;
  /** Those that it names. */
  readonly rooftopIds: readonly string[];
  /** Milliseconds. */
  readonly expiresAt: number;
}

interface Issued extends PublishedManifest {
  readonly group: DealerGroup;
  /** What the deployment said of itself and of the group when it was issued. */
  readonly facts: string;
}

const MAX_ISSUED = 10_000;

/**
 * Issues one manifest per organization, audience and validity window, so that tool and resource answer the very same instance
 * (DAP-CORE-006). There is one audience without a grant, and one for each version of a grant: its manifest names the rooftops
 * and profiles that it opens (decision record 0039). A change of the group, of its settings, of its policy or of what it offers
 * ends the window early, and so does the end of the grant.
 */
export class ManifestPublisher {
  private readonly issued = new Map<string, Issued>();

  constructor(
    private readonly directory: DealerDirectory,
    private readonly facts: (group: DealerGroup, grant: Grant | undefined) => GatewayFacts,
    private readonly links: PublicLinks,
    private readonly statementDigest: (group: DealerGroup) => string,
  ) {}

  /**
   * The manifest in force at `now` for the holder of a grant, or for everyone; undefined for an organization without rooftops,
   * or none at all.
   * @throws Failure `grant.tenant_forbidden` for a grant none of whose rooftops exists.
   */
  async publish(organizationId: string, now: number, grant?: Grant): Promise<PublishedManifest | undefined> {
    const group = await this.directory.find(organizationId);
    if (group === undefined || group.rooftops.length === 0) return undefined;
    const facts = this.facts(group, grant);
    const said = JSON.stringify(facts);
    const audience = audienceOf(organizationId, grant);
    const current = this.issued.get(audience);
    const holds = current !== undefined && current.expiresAt > now && current.facts === said;
    if (holds && sameGroup(current.group, group)) return current;
    const expiresAt = Math.min(now + LIMITS.manifestLifetimeSeconds.value * 1000, grant?.expiresAt ?? Infinity);
    const rooftopIds = visibleRooftops(grant?.rooftops.rooftopIds ?? 'all', group, undefined);
    const shown = { ...group, rooftops: group.rooftops.filter((r) => rooftopIds.includes(r.rooftopId)) };
    const body = JsonBytes.of(this.build(shown, facts, { now, expiresAt }));
    const manifest: Issued = { group, facts: said, expiresAt, body, rooftopIds };
    if (this.issued.size >= MAX_ISSUED) this.issued.clear();
    this.issued.set(audience, manifest);
    return manifest;
  }

  private build(
    group: DealerGroup,
    { gatewayId, operatorName, profiles, authModes }: GatewayFacts,
    window: { readonly now: number; readonly expiresAt: number },
  ): Record<string, unknown> {
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
      resources: OFFERED_RESOURCES,
      auth_modes: authModes,
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
      issued_at: rfc3339(window.now),
      expires_at: rfc3339(window.expiresAt),
    };
  }
}

const sameGroup = (a: DealerGroup, b: DealerGroup): boolean =>
  a === b ||
  (a.updatedAt === b.updatedAt &&
    a.policy.version === b.policy.version &&
    a.rooftops.length === b.rooftops.length &&
    a.rooftops.every((r, i) => r.rooftopId === b.rooftops[i]?.rooftopId && r.updatedAt === b.rooftops[i].updatedAt));

/** Callers that are shown one instance: everyone without a grant, or the holders of one version of one, by one kind of key. */
function audienceOf(organizationId: string, grant: Grant | undefined): string {
  if (grant === undefined) return organizationId;
  return JSON.stringify([organizationId, grant.grantId, grant.version, grant.keyScopes]);
}
