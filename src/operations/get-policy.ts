import type { TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { Failure } from '../kernel/failure/failure.js';
import { JsonBytes } from '../kernel/json-bytes.js';
import { closed, Identifier, Timestamp } from '../kernel/schema/dap-common.js';
import type { PublishedRetention } from '../modules/retention/index.js';
import type { DealerDirectory, DealerGroup } from '../modules/tenancy/index.js';
import { POLICY_ID, policyPage } from './documents/policy-page.js';
import type { Operation } from './operation.js';
import { PUBLIC_READ } from './operation.js';

const PolicyRequest = Type.Object({ organization_id: Identifier, policy_id: Identifier }, closed);
type PolicyRequest = (typeof PolicyRequest)['static'];

const Text = Type.String({ minLength: 1, maxLength: 4000 });
const byName = (values: TSchema): TSchema =>
  Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,127}$' }), values, closed);
const Seconds = Type.Integer({ minimum: 1 });
const formulaPart = { component: Text, rule: Text };

const PolicyDocument = Type.Object(
  {
    policy_id: Type.Literal(POLICY_ID),
    version: Text,
    organization_id: Identifier,
    statements: Type.Array(Type.Object({ id: Text, text: Text, enforced: Type.Boolean() }, closed)),
    completeness_formula: Type.Object(
      {
        version: Text,
        summary: Text,
        parts: Type.Array(Type.Object({ ...formulaPart, points: Type.Integer() }, closed)),
        band: Type.Object({ ...formulaPart, points: byName(Type.Integer()) }, closed),
      },
      closed,
    ),
    retention_policy: Type.Union([
      Type.Object(
        {
          policy_id: Identifier,
          name: Text,
          version: Type.Integer({ minimum: 1 }),
          content_hash: Text,
          activated_at: Timestamp,
        },
        closed,
      ),
      Type.Null(),
    ]),
    retention: Type.Array(Type.Object({ category: Text, description: Text, ceiling: Text, deletion: Text }, closed)),
    freshness_sla_seconds: byName(Type.Object({ inventory: Seconds, availability: Seconds, pricing: Seconds }, closed)),
    inventory_age_published: byName(Type.Boolean()),
    dealer_policy: Type.Object(
      {
        version: Text,
        public_profiles: Type.Array(Text),
        purposes: Type.Array(Text),
        public_profiles_at: byName(Type.Array(Text)),
        withheld_fields_at: byName(Type.Array(Text)),
      },
      closed,
    ),
  },
  closed,
);

const TTL_MS = 300_000;

/**
 * The policy of an organization as the resource `dealeragent://organization/{id}/policy/{policy_id}` (DAP §3.2). DAP knows
 * no tool for it, so it is never offered as one.
 */
export function getPolicy(
  directory: DealerDirectory,
  retention: Pick<PublishedRetention, 'active'>,
  profilesOf: (group: DealerGroup) => readonly string[],
): Operation {
  return {
    name: 'dealeragent.policy.get',
    title: 'Get the policy',
    description: 'Returns the policy in force for a dealer group: what is enforced today and what is not yet.',
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
    inputSchema: PolicyRequest,
    outputSchema: PolicyDocument,
    offered: () => false,
    targetsOf: (input) => ({ organizationId: (input as PolicyRequest).organization_id, rooftopIds: [] }),
    run: async ({ organizationId, input }) => {
      const group = await directory.find(organizationId);
      const { policy_id: policyId } = input as PolicyRequest;
      if (group === undefined || policyId !== POLICY_ID)
        throw new Failure('resource.not_found', { reason: 'not_found' });
      return {
        body: JsonBytes.of(policyPage(group, profilesOf(group), await retention.active(organizationId))),
        rooftopIds: [],
        resourceIds: [policyId],
        preValidated: false,
        cache: { ttlMs: TTL_MS, scope: 'public' },
      };
    },
  };
}
