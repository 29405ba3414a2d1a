import type { DistanceReading, DistanceUnit } from './read-distance.js';
import { readDistance, unitNamed } from './read-distance.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/** The odometer with its unit. A unit is in the cell, in the unit column or configured, and never guessed (DAP-CSV-004). */
export function readOdometer(view: RowView, context: RowContext, draft: RowDraft): void {
  const reading = firstReading(view, context);
  if (reading.kind === 'invalid') {
    draft.problem('odometer_invalid', 'odometer');
    return;
  }
  if (reading.kind === 'unknown') {
    if (reading.stated) draft.flag('odometer_unknown', 'odometer');
    view.drop('odometer');
    return;
  }
  const unit = unitOf(view, context, draft, reading.unit);
  if (unit === undefined) return;
  if (contradicted(view, context, reading.value, unit)) draft.problem('odometer_conflict', 'odometerAgain');
  else draft.unit.odometer = { value: reading.value, unit };
}

/** Where the machine value is all there is, it is the odometer. */
function firstReading(view: RowView, context: RowContext): DistanceReading {
  const reading = readDistance(view.text('odometer'), context.numberStyle);
  if (reading.kind !== 'unknown' || reading.stated) return reading;
  return readDistance(view.text('odometerAgain'), context.numberStyle);
}

function contradicted(view: RowView, context: RowContext, value: number, unit: DistanceUnit): boolean {
  const again = readDistance(view.text('odometerAgain'), context.numberStyle);
  return again.kind === 'distance' && (again.value !== value || (again.unit !== undefined && again.unit !== unit));
}

function unitOf(
  view: RowView,
  context: RowContext,
  draft: RowDraft,
  written: DistanceUnit | undefined,
): DistanceUnit | undefined {
  const named = unitNamed(view.text('odometerUnit'));
  if (named === 'invalid') draft.problem('odometer_unit_invalid', 'odometerUnit');
  else if (written !== undefined && named !== undefined && written !== named)
    draft.problem('odometer_conflict', 'odometerUnit');
  else {
    const unit = written ?? named ?? (mayDefault(view, context) ? defaultUnit(context) : undefined);
    if (unit === undefined)
      draft.problem('odometer_unit_missing', view.has('odometerUnit') ? 'odometerUnit' : 'odometer');
    return unit;
  }
  return undefined;
}

function mayDefault(view: RowView, context: RowContext): boolean {
  return context.rules.odometerUnitMandatory !== true || !view.has('odometerUnit');
}

function defaultUnit(context: RowContext): DistanceUnit | undefined {
  return context.reading.settings.odometerUnit ?? context.rules.odometerUnit;
}
