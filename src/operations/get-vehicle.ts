import { Type } from '@sinclair/typebox';
import { Failure } from '../kernel/failure/failure.js';
import { closed, Identifier, Vin } from '../kernel/schema/dap-common.js';
import type { InventoryReader } from '../modules/inventory/index.js';
import { Vehicle } from '../modules/inventory/index.js';
import type { Operation } from './operation.js';
import { PUBLIC_READ } from './operation.js';

/** DAP vehicleRequest: exactly one selector. */
const VehicleRequest = Type.Unsafe<VehicleRequest>({
  ...Type.Object(
    {
      organization_id: Identifier,
      rooftop_id: Identifier,
      vehicle_id: Type.Optional(Identifier),
      vin: Type.Optional(Vin),
      stock_number: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    },
    closed,
  ),
  oneOf: [{ required: ['vehicle_id'] }, { required: ['vin'] }, { required: ['stock_number'] }],
});

interface VehicleRequest {
  readonly organization_id: string;
  readonly rooftop_id: string;
  readonly vehicle_id?: string;
  readonly vin?: string;
  readonly stock_number?: string;
}

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
    run: async ({ organizationId, input, now }) => {
      const request = input as VehicleRequest;
      const inventory = await reader.open(organizationId);
      const position = inventory.find(request.rooftop_id, selectorOf(request));
      if (position === 'absent') throw new Failure('vehicle.not_found', { reason: 'not_found' });
      if (position === 'ambiguous')
        throw new Failure('vehicle.ambiguous', {
          violations: [
            {
              pointer: '/stock_number',
              keyword: 'uniqueItems',
              explanation: 'names more than one published vehicle of this rooftop',
            },
          ],
        });
      const { vehicleId } = inventory.unitAt(position);
      return {
        body: inventory.vehicleJson(position, now),
        rooftopIds: [request.rooftop_id],
        resourceIds: [vehicleId],
        preValidated: true,
      };
    },
  };
}

function selectorOf(request: VehicleRequest): { vehicleId: string } | { vin: string } | { stockNumber: string } {
  if (request.vehicle_id !== undefined) return { vehicleId: request.vehicle_id };
  if (request.vin !== undefined) return { vin: request.vin };
  return { stockNumber: request.stock_number ?? '' };
}
