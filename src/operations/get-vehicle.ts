import type { InventoryReader } from '../modules/inventory/index.js';
import { findPublishedUnit, Vehicle } from '../modules/inventory/index.js';
import type { Operation } from './operation.js';
import { PUBLIC_READ } from './operation.js';
import { selectorOf, VehicleRequest } from './vehicle-request.js';

/** `dealeragent.inventory.get_vehicle`: one published unit. Absent, unpublished and foreign ones answer alike. */
export function getVehicle(reader: InventoryReader): Operation {
  return {
    name: 'dealeragent.inventory.get_vehicle',
    title: 'Get one published vehicle',
    description:
      'Returns one published vehicle of a rooftop by vehicle id, VIN or stock number, with its advertised price, source and freshness. It is not a promise of availability.',
    profile: 'dealeragent.inventory.read/0.1',
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
      freshnessAuthority: 'discovery_snapshot',
    },
    inputSchema: VehicleRequest,
    outputSchema: Vehicle,
    targetsOf: (input) => ({
      organizationId: (input as VehicleRequest).organization_id,
      rooftopIds: [(input as VehicleRequest).rooftop_id],
    }),
    run: async ({ organizationId, rooftops, input, now }) => {
      const request = input as VehicleRequest;
      const inventory = await reader.open(organizationId);
      const position = findPublishedUnit(inventory, request.rooftop_id, selectorOf(request));
      const { vehicleId } = inventory.unitAt(position);
      return {
        body: inventory.vehicleJson(position, now, rooftops === 'all' ? null : rooftops),
        rooftopIds: [request.rooftop_id],
        resourceIds: [vehicleId],
        preValidated: true,
      };
    },
  };
}
