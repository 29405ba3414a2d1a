import type { ListedUnit, UnitField } from '../listed-unit.js';
import type { SegmentRow } from '../read-model/segment-row.js';

/** Which members of a unit each withheld field is. The inventory age has a switch of its own (`publishInventoryAge`). */
const MEMBERS = {
  inventory_age: [],
  odometer: ['odometer', 'odometerStatus'],
  stock_number: ['stockNumber'],
  body_style: ['bodyStyle'],
  exterior_color: ['exteriorColor'],
  interior_color: ['interiorColor'],
  powertrain: ['fuelType', 'drivetrain', 'transmission'],
  features: ['features'],
  media: ['imageUrls'],
  listing_url: ['listingUrl'],
} as const satisfies Record<string, readonly UnitField[]>;

/** A field that a dealer's policy may withhold (docs/operations/dealer-policy.md). */
export type WithheldUnitField = keyof typeof MEMBERS;

/** A unit of which an answer can be made: every member may be missing that an answer may lack. */
export type ShownUnit = Omit<ListedUnit, 'stockNumber' | 'imageUrls' | 'features'> &
  Partial<Pick<ListedUnit, 'stockNumber' | 'imageUrls' | 'features'>>;

/** The unit as far as the policy shows it. Whoever makes an answer from it cannot say what it does not hold. */
export function shownUnit(unit: ListedUnit, withheld: readonly WithheldUnitField[] | undefined): ShownUnit {
  if (withheld === undefined || withheld.length === 0) return unit;
  const shown: Partial<Record<UnitField, unknown>> = { ...unit };
  for (const field of withheld) for (const member of MEMBERS[field]) shown[member] = undefined;
  return shown as unknown as ShownUnit;
}

/** A row of the read model as far as the policy shows it: nothing is found, sorted or counted by what does not leave. */
export function shownRow(row: SegmentRow, withheld: readonly WithheldUnitField[] | undefined): SegmentRow {
  if (withheld === undefined || withheld.length === 0) return row;
  return {
    ...row,
    ...(withheld.includes('odometer') ? { odometerValue: null, odometerUnit: null } : {}),
    ...(withheld.includes('stock_number') ? { stockNumber: '' } : {}),
    ...(withheld.includes('body_style') ? { bodyStyle: null } : {}),
  };
}
