import type { ListedUnit } from '../listed-unit.js';
import { usedVehicleSummary } from '../used-vehicle/used-vehicle-summary.js';
import type { Vehicle } from '../vehicle-schema.js';
import { includesRequiredCharges, requiredChargesOf } from './required-charges.js';
import { recordProvenance, rowFreshness } from './row-attribution.js';
import type { VehicleContext } from './vehicle-context.js';
import type { ShownUnit } from './withhold-fields.js';
import { shownUnit } from './withhold-fields.js';

/** What follows a head: the state at read time, and the end of the document. */
export const VEHICLE_TAILS = { current: 'current"}}', stale: 'stale"}}' } as const;

/**
 * Serialises a unit as a DAP vehicle (DAP §4.2) up to and including `"state":"`: the state changes with time. A used-vehicle
 * summary inside it says `current` too and is corrected in place by {@link markStale}. A feed speaks for its dealer and is never authoritative (DAP-CSV-001). Only https URLs are published. List price,
 * description and everything else without a member of the schema stay behind.
 * @throws Error for a unit without an advertised price: such a unit is withheld, not serialised.
 */
export function serializeVehicle(unit: ListedUnit, context: VehicleContext): string {
  return headOf(vehicleOf(unit, context));
}

/** The head of a vehicle that {@link vehicleOf} made. */
export function headOf(vehicle: object): string {
  return JSON.stringify(vehicle).slice(0, -VEHICLE_TAILS.current.length);
}

/** Members in the order of the schema, the state last and current; undefined ones disappear when it is written. */
export function vehicleOf(listed: ListedUnit, context: VehicleContext): object {
  const unit = shownUnit(listed, context.rooftop.withheldFields);
  const freshness = rowFreshness(unit.observedAt, context.rooftop.inventorySlaSeconds, 'current');
  return {
    vehicle_id: context.vehicleId,
    organization_id: context.organizationId,
    rooftop_id: unit.rooftopId,
    ...identityOf(unit),
    odometer: odometerOf(unit),
    powertrain: powertrainOf(unit),
    features: unlessEmpty(unit.features ?? []),
    media: unlessEmpty(mediaOf(unit.imageUrls ?? [])),
    listing_url: unit.listingUrl !== undefined && isHttps(unit.listingUrl) ? unit.listingUrl : undefined,
    advertised_price: advertisedPriceOf(listed, context),
    availability: {
      status: unit.availability,
      authority_status: 'asserted',
      observed_at: freshness.observed_at,
      valid_until: freshness.valid_until,
      human_verification_required: true,
    },
    // Of the unit that is shown: a disagreement with a reading that is withheld would tell something about it.
    used_vehicle: usedVehicleSummary(unit as ListedUnit, context, freshness),
    provenance: recordProvenance(context.source, freshness.observed_at, context.pricedAt),
    freshness,
  };
}

function identityOf(unit: ShownUnit): object {
  return {
    vin: unit.vin,
    stock_number: unit.stockNumber,
    vehicle_type: unit.vehicleType,
    year: unit.year,
    make: unit.make,
    model: unit.model,
    trim: unit.trim,
    condition: unit.condition,
    body_style: unit.bodyStyle,
    exterior_color: unit.exteriorColor,
    interior_color: unit.interiorColor,
  };
}

/** Nobody may read a bare number as the true mileage (DAP-UV-003). A vehicle has no word for `exempt`: the reading says nothing. */
function odometerOf({ odometer, odometerStatus }: ShownUnit): object | undefined {
  if (odometer === undefined) return undefined;
  const status = odometerStatus === 'exempt' ? 'unknown' : odometerStatus;
  return { value: odometer.value, unit: odometer.unit, status };
}

function powertrainOf(unit: ShownUnit): object | undefined {
  const { fuelType, drivetrain, transmission } = unit;
  if (fuelType === undefined && drivetrain === undefined && transmission === undefined) return undefined;
  return { fuel_type: fuelType, drivetrain, transmission };
}

function mediaOf(urls: readonly string[]): object[] {
  return urls.filter(isHttps).map((url, position) => ({ type: 'image', url, position }));
}

function advertisedPriceOf(unit: ListedUnit, context: VehicleContext): Vehicle['advertised_price'] {
  if (unit.advertisedPrice === undefined) throw new Error('a unit without an advertised price is withheld');
  const { amount_minor, currency } = unit.advertisedPrice;
  const charges = requiredChargesOf(unit, context.rooftop.requiredCharges);
  return {
    amount: { amount_minor, currency },
    availability: 'generally_available',
    includes_required_dealer_charges: includesRequiredCharges(charges),
  };
}

function isHttps(url: string): boolean {
  return /^https:\/\//i.test(url);
}

function unlessEmpty<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length === 0 ? undefined : values;
}
