import { Failure } from '../kernel/failure/failure.js';
import { JsonBytes } from '../kernel/json-bytes.js';
import type { PublishedUnitReader } from '../modules/inventory/index.js';
import { publicationPolicyOf, usedVehicleDetails, UsedVehicleDetails } from '../modules/inventory/index.js';
import type { Operation } from './operation.js';
import { PUBLIC_READ } from './operation.js';
import { selectorOf, VehicleRequest } from './vehicle-request.js';

/**
 * `dealeragent.inventory.get_used_vehicle_details`: what sources say of one published used, certified or demo unit. Absent,
 * unpublished, foreign and new ones, and those without what the protocol demands, answer alike (DAP-UV-001, DAP-UV-002). It
 * is offered where at least one rooftop publishes its inventory age and odometer readings: without those there are no details.
 */
export function getUsedVehicleDetails(units: PublishedUnitReader): Operation {
  return {
    name: 'dealeragent.inventory.get_used_vehicle_details',
    title: 'Get what is known of one used vehicle',
    description:
      'Returns odometer, time in stock, history reports, title, condition report, certification and reconditioning of one published used, certified or demo vehicle, each with its source and freshness, and every point on which sources disagree. What no source stated is unknown; a missing report says nothing.',
    profile: 'dealeragent.used-vehicle.read/0.1',
    scopes: ['dealeragent:inventory:read'],
    access: 'public',
    dataClass: 'public_inventory',
    retentionCategory: 'audit_event',
    rateClass: 'read',
    safety: {
      ...PUBLIC_READ,
      publicAccess: 'allowed_by_dealer_policy',
      idempotency: 'inherent_for_same_snapshot',
      piiOutput: 'none',
      freshnessAuthority: 'provider_and_dealer_specific',
    },
    inputSchema: VehicleRequest,
    outputSchema: UsedVehicleDetails,
    offered: (group) =>
      group.rooftops.some(
        ({ settings }) => settings.publish_inventory_age && settings.withheld_fields?.includes('odometer') !== true,
      ),
    targetsOf: (input) => ({
      organizationId: (input as VehicleRequest).organization_id,
      rooftopIds: [(input as VehicleRequest).rooftop_id],
    }),
    run: async ({ organizationId, input, now, traceId }) => {
      const request = input as VehicleRequest;
      const { facts, unit, rooftop, source } = await units.read(
        organizationId,
        request.rooftop_id,
        selectorOf(request),
      );
      const { vehicleId } = facts;
      const context = { organizationId, vehicleId, rooftop: publicationPolicyOf(rooftop.settings), source };
      const details = usedVehicleDetails(unit, context, now, traceId, facts.notes.reviewed);
      if (details === undefined) throw new Failure('vehicle.not_found', { reason: 'not_found' });
      return {
        body: JsonBytes.of(details),
        rooftopIds: [request.rooftop_id],
        resourceIds: [vehicleId],
        preValidated: false,
      };
    },
  };
}
