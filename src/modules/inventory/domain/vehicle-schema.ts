import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import {
  closed,
  Distance,
  ExtensionBag,
  Freshness,
  Identifier,
  Provenance,
  stringEnum,
  Timestamp,
  Uri,
  Vin,
} from '../../../kernel/schema/dap-common.js';
import { UsedVehicleSummary } from './used-vehicle/used-vehicle-schema.js';
import { AdvertisedPrice } from '../../../kernel/schema/dap-pricing.js';

export const VEHICLE_TYPES = ['car', 'truck', 'suv', 'van', 'motorcycle', 'rv', 'trailer', 'other'] as const;
export const CONDITIONS = ['new', 'used', 'certified', 'demo'] as const;
export const AVAILABILITY_STATUSES = [
  'available',
  'in_transit',
  'on_hold',
  'pending_sale',
  'sold',
  'unavailable',
  'unknown',
] as const;
export const FUEL_TYPES = [
  'gasoline',
  'diesel',
  'hybrid',
  'plug_in_hybrid',
  'battery_electric',
  'hydrogen',
  'other',
  'unknown',
] as const;
export const DRIVETRAINS = ['fwd', 'rwd', 'awd', 'four_wd', 'other', 'unknown'] as const;

export type VehicleType = (typeof VEHICLE_TYPES)[number];
export type Condition = (typeof CONDITIONS)[number];
export type AvailabilityStatus = (typeof AVAILABILITY_STATUSES)[number];
export type FuelType = (typeof FUEL_TYPES)[number];
export type Drivetrain = (typeof DRIVETRAINS)[number];

export const Availability = Type.Object(
  {
    status: stringEnum(AVAILABILITY_STATUSES),
    authority_status: stringEnum(['authoritative', 'asserted', 'unknown'] as const),
    observed_at: Timestamp,
    valid_until: Type.Optional(Timestamp),
    human_verification_required: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  },
  closed,
);

const MediaAsset = Type.Object(
  {
    type: stringEnum(['image', 'video', 'document', 'spin'] as const),
    url: Uri,
    caption: Type.Optional(Type.String({ maxLength: 500 })),
    position: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  closed,
);

const Odometer = Type.Composite(
  [
    Distance,
    Type.Object({
      status: Type.Optional(stringEnum(['actual', 'not_actual', 'exceeds_mechanical_limits', 'unknown'] as const)),
    }),
  ],
  closed,
);

const Powertrain = Type.Object(
  {
    fuel_type: Type.Optional(stringEnum(FUEL_TYPES)),
    drivetrain: Type.Optional(stringEnum(DRIVETRAINS)),
    transmission: Type.Optional(Type.String({ maxLength: 120 })),
  },
  closed,
);

/**
 * A published vehicle as DAP defines it (vehicle.schema.json), without the member this gateway never sends yet:
 * `window_sticker_url`. `used_vehicle` is there only where a unit has one to show.
 */
export const Vehicle = Type.Object(
  {
    vehicle_id: Identifier,
    organization_id: Identifier,
    rooftop_id: Identifier,
    vin: Type.Optional(Vin),
    stock_number: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    vehicle_type: Type.Optional(stringEnum(VEHICLE_TYPES)),
    year: Type.Integer({ minimum: 1886, maximum: 2200 }),
    make: Type.String({ minLength: 1, maxLength: 100 }),
    model: Type.String({ minLength: 1, maxLength: 120 }),
    trim: Type.Optional(Type.String({ maxLength: 120 })),
    condition: stringEnum(CONDITIONS),
    body_style: Type.Optional(Type.String({ maxLength: 80 })),
    exterior_color: Type.Optional(Type.String({ maxLength: 80 })),
    interior_color: Type.Optional(Type.String({ maxLength: 80 })),
    odometer: Type.Optional(Odometer),
    powertrain: Type.Optional(Powertrain),
    features: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 500 })),
    media: Type.Optional(Type.Array(MediaAsset, { maxItems: 500 })),
    listing_url: Type.Optional(Uri),
    advertised_price: AdvertisedPrice,
    availability: Availability,
    used_vehicle: Type.Optional(UsedVehicleSummary),
    extensions: Type.Optional(ExtensionBag),
    provenance: Provenance,
    freshness: Freshness,
  },
  closed,
);
export type Vehicle = Static<typeof Vehicle>;
