import { Type } from '@sinclair/typebox';
import { closed, Identifier, Vin } from '../kernel/schema/dap-common.js';
import type { VehicleSelector } from '../modules/inventory/index.js';

export interface VehicleRequest {
  readonly organization_id: string;
  readonly rooftop_id: string;
  readonly vehicle_id?: string;
  readonly vin?: string;
  readonly stock_number?: string;
}

/** Members of every request that names one unit. */
export const vehicleRequestMembers = {
  organization_id: Identifier,
  rooftop_id: Identifier,
  vehicle_id: Type.Optional(Identifier),
  vin: Type.Optional(Vin),
  stock_number: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
} as const;

/** Exactly one way to name the unit (DAP §2.8). */
export const ONE_SELECTOR = [{ required: ['vehicle_id'] }, { required: ['vin'] }, { required: ['stock_number'] }];

/** DAP vehicleRequest. */
export const VehicleRequest = Type.Unsafe<VehicleRequest>({
  ...Type.Object(vehicleRequestMembers, closed),
  oneOf: ONE_SELECTOR,
});

export function selectorOf(request: VehicleRequest): VehicleSelector {
  if (request.vehicle_id !== undefined) return { vehicleId: request.vehicle_id };
  if (request.vin !== undefined) return { vin: request.vin };
  return { stockNumber: request.stock_number ?? '' };
}
