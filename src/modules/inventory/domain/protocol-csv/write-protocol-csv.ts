import type { AvailabilityStatus } from '../vehicle-schema.js';
import type { ExportedUnit } from './exported-unit.js';

type Cells = Readonly<Record<(typeof COLUMNS)[number], string | number | undefined>>;

/** Columns of `dealer-agent-inventory-csv/0.1` that this gateway fills (DAP §4.7). */
const COLUMNS = [
  'organization_id',
  'rooftop_id',
  'vin',
  'stock_number',
  'year',
  'make',
  'model',
  'trim',
  'condition',
  'listing_url',
  'observed_at',
  'advertised_price_minor',
  'currency',
  'required_dealer_charges_json',
  'conditional_adjustments_json',
  'government_charges_status',
  'availability_status',
  'vehicle_type',
  'body_style',
  'exterior_color',
  'interior_color',
  'odometer_value',
  'odometer_unit',
  'stocked_at',
  'first_public_listing_at',
  'certification_type',
  'image_urls_json',
  'features_json',
] as const;

/** The CSV has fewer words than DAP: what is spoken for in any way is `reserved`. */
const STATUSES: Readonly<Record<AvailabilityStatus, string>> = {
  available: 'available',
  in_transit: 'in_transit',
  on_hold: 'reserved',
  pending_sale: 'reserved',
  sold: 'unavailable',
  unavailable: 'unavailable',
  unknown: 'unknown',
};

export const PROTOCOL_CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/**
 * One line of the protocol's CSV. An empty cell says nothing, never zero or none.
 * @returns undefined for a unit that the format cannot express: without an https page, a stock number or a VIN, or a demo.
 */
export function protocolCsvLine(unit: ExportedUnit): string | undefined {
  const cells = cellsOf(unit);
  if (cells === undefined) return undefined;
  return `${COLUMNS.map((column) => quoted(cells[column])).join(',')}\r\n`;
}

function cellsOf({ vehicle, requiredCharges, conditionalAdjustments }: ExportedUnit): Cells | undefined {
  const { vin, stock_number, listing_url, condition, odometer, advertised_price, used_vehicle } = vehicle;
  if (vin === undefined || stock_number === undefined || listing_url === undefined || condition === 'demo')
    return undefined;
  return {
    organization_id: vehicle.organization_id,
    rooftop_id: vehicle.rooftop_id,
    vin,
    stock_number,
    year: vehicle.year,
    make: vehicle.make,
    model: vehicle.model,
    trim: vehicle.trim,
    condition,
    listing_url,
    observed_at: vehicle.freshness.observed_at,
    advertised_price_minor: advertised_price.amount.amount_minor,
    currency: advertised_price.amount.currency,
    required_dealer_charges_json: requiredCharges === 'unknown' ? undefined : chargesCell(requiredCharges),
    conditional_adjustments_json: adjustmentsCell(conditionalAdjustments),
    government_charges_status: 'unknown', // a published feed cannot know the buyer that they depend on
    availability_status: STATUSES[vehicle.availability.status],
    vehicle_type: vehicle.vehicle_type,
    body_style: vehicle.body_style,
    exterior_color: vehicle.exterior_color,
    interior_color: vehicle.interior_color,
    odometer_value: odometer?.value,
    odometer_unit: odometer?.unit,
    stocked_at: used_vehicle?.inventory_tenure.stocked_at,
    first_public_listing_at: used_vehicle?.inventory_tenure.first_public_listing_at,
    certification_type: used_vehicle?.certification_type,
    image_urls_json: listCell((vehicle.media ?? []).filter((m) => m.type === 'image').map((m) => m.url)),
    features_json: listCell(vehicle.features ?? []),
  };
}

const chargesCell = (charges: Exclude<ExportedUnit['requiredCharges'], 'unknown'>): string =>
  JSON.stringify(
    charges.map(({ name, amount, payee, includedInAdvertisedPrice }) => ({
      label: name,
      amount_minor: amount.amount_minor,
      currency: amount.currency,
      payee,
      included_in_advertised_price: includedInAdvertisedPrice,
    })),
  );

/** No adjustment listed is not "there are none": the cell stays empty. */
const adjustmentsCell = (adjustments: ExportedUnit['conditionalAdjustments']): string | undefined =>
  listCell(
    adjustments.map(({ name, direction, amount, eligibility, stacking }) => ({
      name,
      direction,
      amount_minor: amount?.amount_minor,
      currency: amount?.currency,
      eligibility,
      stacking,
    })),
  );

const listCell = (entries: readonly unknown[]): string | undefined =>
  entries.length === 0 ? undefined : JSON.stringify(entries);

/** RFC 4180. Nothing is done against spreadsheet formulas: a program reads this, and an added apostrophe would be data. */
function quoted(value: string | number | undefined): string {
  const text = value === undefined ? '' : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
