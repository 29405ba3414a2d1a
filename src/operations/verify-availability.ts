import { Type } from '@sinclair/typebox';
import { JsonBytes } from '../kernel/json-bytes.js';
import { closed, Freshness, Identifier, Provenance, stringEnum, TraceId } from '../kernel/schema/dap-common.js';
import { rfc3339 } from '../kernel/time.js';
import type { VerifiedAvailability, VerifyAvailability } from '../modules/availability/index.js';
import { Vehicle } from '../modules/inventory/index.js';
import type { DealerGroup } from '../modules/tenancy/index.js';
import type { Operation, OperationCall } from './operation.js';
import type { VehicleRequest } from './vehicle-request.js';
import { ONE_SELECTOR, selectorOf, vehicleRequestMembers } from './vehicle-request.js';

type AvailabilityRequest = VehicleRequest & { readonly purpose?: string };

/** DAP availabilityRequest (§2.9). */
const AvailabilityRequest = Type.Unsafe<AvailabilityRequest>({
  ...Type.Object(
    {
      ...vehicleRequestMembers,
      purpose: Type.Optional(stringEnum(['display', 'comparison', 'shopping_assistance'] as const)),
    },
    closed,
  ),
  oneOf: ONE_SELECTOR,
});

/** DAP availabilityResult (§2.9). */
const AvailabilityResult = Type.Object(
  {
    vehicle_id: Identifier,
    organization_id: Identifier,
    rooftop_id: Identifier,
    availability: Vehicle.properties.availability,
    provenance: Provenance,
    freshness: Freshness,
    trace_id: TraceId,
  },
  closed,
);

/** `dealeragent.inventory.verify_availability`: what the dealer's own system says now, for agents under a grant. */
export function verifyAvailability(verifying: VerifyAvailability): Operation {
  return {
    name: 'dealeragent.inventory.verify_availability',
    title: 'Verify the availability of a vehicle',
    description:
      'Asks the dealer’s own system for the current state of one published vehicle, by vehicle id, VIN or stock number. Needs a grant for the rooftop. The answer says when it was observed and until when it is valid; without an authoritative or recent enough source there is an error instead of a guess.',
    profile: 'dealeragent.inventory.availability/0.1',
    scopes: ['dealeragent:inventory:read'],
    access: 'granted',
    dataClass: 'protected_retail',
    retentionCategory: 'audit_event',
    rateClass: 'read',
    safety: {
      effect: 'read_with_authoritative_check',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      publicAccess: 'rate_limited_or_authenticated',
      confirmation: 'none',
      idempotency: 'inherent_within_validity_window',
      piiInput: 'none',
      piiOutput: 'none',
      retention: 'operational_log',
      reversible: true,
      legalOrFinancialCommitment: false,
      freshnessAuthority: 'authoritative_inventory_source_required',
      audit: 'authoritative_read_event',
    },
    inputSchema: AvailabilityRequest,
    outputSchema: AvailabilityResult,
    offered: (group: DealerGroup) =>
      group.rooftops.some(({ settings }) => settings.availability_source?.authoritative === true),
    targetsOf: (input) => ({
      organizationId: (input as AvailabilityRequest).organization_id,
      rooftopIds: [(input as AvailabilityRequest).rooftop_id],
      purpose: (input as AvailabilityRequest).purpose ?? 'shopping_assistance',
    }),
    run: async (call) => {
      const request = call.input as AvailabilityRequest;
      const { organizationId, trace } = call;
      const question = { organizationId, rooftopId: request.rooftop_id, selector: selectorOf(request), trace };
      const verified = await verifying.run(question);
      return {
        body: JsonBytes.of(resultOf(verified, call, request.rooftop_id)),
        rooftopIds: [request.rooftop_id],
        resourceIds: [verified.vehicleId],
        preValidated: false,
      };
    },
  };
}

/** A status that the source did not say in our words has no authority, and a person has to look (DAP-CORE-035). */
function resultOf(
  verified: VerifiedAvailability,
  { organizationId, traceId }: OperationCall,
  rooftopId: string,
): object {
  const { vehicleId, source, observation } = verified;
  const known = observation.status !== 'unknown';
  const observed_at = rfc3339(observation.observedAt);
  const valid_until = rfc3339(observation.validUntil);
  return {
    vehicle_id: vehicleId,
    organization_id: organizationId,
    rooftop_id: rooftopId,
    availability: {
      status: observation.status,
      authority_status: known ? 'authoritative' : 'unknown',
      observed_at,
      valid_until,
      human_verification_required: !known,
      ...(known ? {} : { reason: 'The system of the dealer does not say a state that this protocol knows.' }),
    },
    provenance: {
      sources: [{ source_name: source.name, authority: 'authoritative_dealer_system', observed_at }],
      authority_status: known ? 'authoritative' : 'unknown',
    },
    freshness: { observed_at, valid_until, state: 'current', max_age_seconds: source.valid_seconds },
    trace_id: traceId,
  };
}
