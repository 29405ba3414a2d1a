import { Type } from '@sinclair/typebox';
import { Failure } from '../kernel/failure/failure.js';
import { JsonBytes } from '../kernel/json-bytes.js';
import { LIMITS } from '../kernel/limits.js';
import {
  Address,
  closed,
  Currency,
  ExtensionBag,
  Freshness,
  Identifier,
  Provenance,
  stringEnum,
  Uri,
} from '../kernel/schema/dap-common.js';
import { rfc3339 } from '../kernel/time.js';
import type { DealerDirectory, DealerGroup, Rooftop } from '../modules/tenancy/index.js';
import type { Operation } from './operation.js';
import { PUBLIC_READ } from './operation.js';

const DealerRequest = Type.Object(
  {
    organization_id: Type.Optional(Identifier),
    rooftop_ids: Type.Optional(
      Type.Array(Identifier, { minItems: 1, maxItems: LIMITS.rooftopIdsPerRequest.value, uniqueItems: true }),
    ),
  },
  closed,
);

const departments = ['sales', 'internet_sales', 'service', 'parts'] as const;
const Clock24 = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });

const DealerRooftop = Type.Object(
  {
    rooftop_id: Identifier,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    legal_name: Type.Optional(Type.String({ minLength: 1, maxLength: 240 })),
    website: Type.Optional(Uri),
    address: Address,
    timezone: Type.String({ minLength: 1, maxLength: 64 }),
    departments: Type.Array(stringEnum(departments), { minItems: 1, uniqueItems: true }),
    contacts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            department: stringEnum([...departments, 'general'] as const),
            channel: stringEnum(['phone', 'email', 'web'] as const),
            value: Type.String({ minLength: 1, maxLength: 320 }),
            public: Type.Optional(Type.Boolean()),
          },
          closed,
        ),
      ),
    ),
    hours: Type.Optional(
      Type.Array(
        Type.Object(
          {
            day: stringEnum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const),
            opens: Clock24,
            closes: Clock24,
          },
          closed,
        ),
      ),
    ),
    supported_languages: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z]{2,3}(?:-[A-Z]{2})?$' }), { uniqueItems: true }),
    ),
    supported_currencies: Type.Optional(Type.Array(Currency, { uniqueItems: true })),
    extensions: Type.Optional(ExtensionBag),
  },
  closed,
);

const DealerOrganization = Type.Object(
  {
    organization_id: Identifier,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    legal_name: Type.Optional(Type.String({ minLength: 1, maxLength: 240 })),
    rooftops: Type.Array(DealerRooftop, { minItems: 1 }),
    provenance: Provenance,
    freshness: Freshness,
    extensions: Type.Optional(ExtensionBag),
  },
  closed,
);

interface Input {
  readonly organization_id?: string;
  readonly rooftop_ids?: readonly string[];
}

/** `dealeragent.dealer.get`: the group and its rooftops; one unknown rooftop fails the whole request (DAP digest §2.6). */
export function getDealer(directory: DealerDirectory): Operation {
  return {
    name: 'dealeragent.dealer.get',
    title: 'Get the dealer group',
    description:
      'Returns the dealer group and its rooftops: names, addresses, time zones, opening hours and public business contacts.',
    profile: 'dealeragent.discovery/0.1',
    scopes: [],
    access: 'public',
    dataClass: 'public_business',
    retentionCategory: 'audit_event',
    rateClass: 'read',
    safety: {
      ...PUBLIC_READ,
      publicAccess: 'allowed_by_dealer_policy',
      idempotency: 'inherent',
      piiOutput: 'public_business_contact_only',
      freshnessAuthority: 'dealer_or_group_authority',
    },
    inputSchema: DealerRequest,
    outputSchema: DealerOrganization,
    targetsOf: (input) => ({
      organizationId: (input as Input).organization_id,
      rooftopIds: (input as Input).rooftop_ids ?? [],
    }),
    run: async ({ organizationId, input }) => {
      const group = await directory.find(organizationId);
      if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const rooftops = chosenRooftops(group, (input as Input).rooftop_ids);
      return {
        body: JsonBytes.of(render(group, rooftops)),
        rooftopIds: rooftops.map((r) => r.rooftopId),
        resourceIds: [],
        preValidated: false,
      };
    },
  };
}

function chosenRooftops(group: DealerGroup, wanted: readonly string[] | undefined): readonly Rooftop[] {
  const chosen = wanted === undefined ? group.rooftops : group.rooftops.filter((r) => wanted.includes(r.rooftopId));
  if (chosen.length === 0 || (wanted !== undefined && chosen.length !== wanted.length))
    throw new Failure('resource.not_found', { reason: 'not_found', auditReason: 'rooftop_unknown' });
  return chosen;
}

function render(group: DealerGroup, rooftops: readonly Rooftop[]): Record<string, unknown> {
  const observedAt = rfc3339(Math.max(group.updatedAt, ...rooftops.map((r) => r.updatedAt)));
  return {
    organization_id: group.organizationId,
    name: group.name,
    ...(group.legalName === null ? {} : { legal_name: group.legalName }),
    rooftops: rooftops.map(renderRooftop),
    provenance: {
      sources: [{ source_name: 'dealer group configuration', authority: 'dealer_asserted', observed_at: observedAt }],
      authority_status: 'asserted',
    },
    freshness: { observed_at: observedAt, state: 'current' },
  };
}

/** Only contacts marked public may leave (catalog: public_business_contact_only). */
function renderRooftop(rooftop: Rooftop): Record<string, unknown> {
  const contacts = rooftop.contacts.filter((c) => c.public === true);
  return {
    rooftop_id: rooftop.rooftopId,
    name: rooftop.name,
    ...(rooftop.legalName === null ? {} : { legal_name: rooftop.legalName }),
    ...(rooftop.website === null ? {} : { website: rooftop.website }),
    address: rooftop.address,
    timezone: rooftop.timezone,
    departments: rooftop.departments,
    ...(contacts.length === 0 ? {} : { contacts }),
    ...(rooftop.hours.length === 0 ? {} : { hours: rooftop.hours }),
    ...(rooftop.languages.length === 0 ? {} : { supported_languages: rooftop.languages }),
    supported_currencies: [rooftop.currency],
  };
}
