import { Type } from '@sinclair/typebox';
import { closed, ExtensionBag, Identifier, stringEnum, Timestamp, Uri } from '../kernel/schema/dap-common.js';
import { Failure } from '../kernel/failure/failure.js';
import type { ManifestPublisher } from './documents/manifest-publisher.js';
import type { Answer, Operation } from './operation.js';
import { PUBLIC_READ } from './operation.js';

const ManifestRequest = Type.Object({ organization_id: Type.Optional(Identifier) }, closed);

const Capability = Type.Object(
  {
    profile: Type.String({ pattern: '^dealeragent\\.[a-z0-9.-]+/[0-9]+\\.[0-9]+$' }),
    status: stringEnum(['draft', 'experimental', 'supported', 'deprecated'] as const),
    tools: Type.Array(Type.String({ pattern: '^dealeragent\\.[a-z0-9._-]+$' }), { uniqueItems: true }),
    scopes: Type.Array(Type.String({ pattern: '^dealeragent:[a-z0-9:_-]+$' }), { uniqueItems: true }),
  },
  closed,
);

const Sla = Type.Integer({ minimum: 1, maximum: 2_592_000 });
const Ids = Type.Array(Identifier, { minItems: 1, uniqueItems: true });

export const Manifest = Type.Object(
  {
    standard: Type.Literal('dealer-agent-protocol'),
    standard_version: Type.Literal('0.1'),
    mcp_revision: Type.Literal('2026-07-28'),
    gateway_id: Identifier,
    operator: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }), uri: Type.Optional(Uri) }, closed),
    organization_ids: Ids,
    rooftop_ids: Ids,
    capabilities: Type.Array(Capability, { minItems: 1 }),
    resources: Type.Array(Type.String({ pattern: '^dealeragent://' }), { minItems: 1, uniqueItems: true }),
    auth_modes: Type.Array(stringEnum(['public', 'oauth_2_1', 'workload_identity'] as const), {
      minItems: 1,
      uniqueItems: true,
    }),
    tenant_routing: Type.Object(
      {
        organization_id_required: Type.Literal(true),
        rooftop_id_required_for_unit_reads: Type.Literal(true),
        group_delegation_explicit: Type.Literal(true),
      },
      closed,
    ),
    schema_base_uri: Uri,
    policy_uri: Uri,
    authority_policy: Type.Object(
      {
        uri: Uri,
        inventory_max_age_seconds: Type.Integer({ minimum: 0, maximum: 2_592_000 }),
        authoritative_availability_required_for_actions: Type.Literal(true),
      },
      closed,
    ),
    freshness_sla_seconds: Type.Record(
      Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,127}$' }),
      Type.Object({ inventory: Sla, availability: Sla, pricing: Sla }, closed),
      { minProperties: 1, additionalProperties: false },
    ),
    conformance: Type.Object(
      { claim_uri: Uri, claim_digest: Type.String({ pattern: '^sha256:[a-f0-9]{64}$' }) },
      closed,
    ),
    issued_at: Timestamp,
    expires_at: Timestamp,
    extensions: Type.Optional(ExtensionBag),
  },
  closed,
);

/** How long a manifest that is made for one caller may be kept: a grant may be revised within its window. */
const PRIVATE_TTL_MS = 60_000;

/** What is made for one caller must not be shared (DAP-CORE-009). */
function cacheOf(leftMs: number, isPrivate: boolean): NonNullable<Answer['cache']> {
  const ttlMs = Math.max(0, isPrivate ? Math.min(leftMs, PRIVATE_TTL_MS) : leftMs);
  return { ttlMs, scope: isPrivate ? 'private' : 'public' };
}

/** `dealeragent.discovery.get_manifest`: the same instance that the resource `dealeragent://manifest` serves (DAP-CORE-006). */
export function getManifest(publisher: ManifestPublisher): Operation {
  return {
    name: 'dealeragent.discovery.get_manifest',
    title: 'Get the capability manifest',
    description:
      'Returns what this gateway serves for the dealer group: profiles, tools, rooftops, freshness targets, policy and conformance documents.',
    profile: 'dealeragent.discovery/0.1',
    scopes: [],
    access: 'public',
    dataClass: 'public_business',
    retentionCategory: 'audit_event',
    rateClass: 'read',
    safety: {
      ...PUBLIC_READ,
      publicAccess: 'allowed',
      idempotency: 'inherent',
      piiOutput: 'none',
      freshnessAuthority: 'published_gateway_manifest',
    },
    inputSchema: ManifestRequest,
    outputSchema: Manifest,
    targetsOf: (input) => ({ organizationId: (input as { organization_id?: string }).organization_id, rooftopIds: [] }),
    run: async ({ caller, organizationId, now }) => {
      const grant = caller.kind === 'agent' ? caller.grant : undefined;
      const manifest = await publisher.publish(organizationId, now, grant);
      if (manifest === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      return {
        body: manifest.body,
        rooftopIds: grant === undefined ? [] : manifest.rooftopIds,
        resourceIds: ['dealeragent://manifest'],
        preValidated: false,
        cache: cacheOf(manifest.expiresAt - now, grant !== undefined),
      };
    },
  };
}
