import type { ListedUnit } from '../listed-unit.js';
import type { RowFreshness } from '../vehicle-record/row-attribution.js';
import type { VehicleContext } from '../vehicle-record/vehicle-context.js';
import { inventoryTenureOf } from './inventory-tenure.js';
import { certificationType, historyReportStatus } from './summary-facts.js';
import type { UsedVehicleSummary } from './used-vehicle-schema.js';

/**
 * The used-vehicle summary of a published vehicle, as fresh as its row.
 * @returns undefined for a new unit and wherever the age in stock is not known or not published: the summary is nothing
 *   without it, and nothing is made up.
 */
export function usedVehicleSummary(
  unit: ListedUnit,
  context: VehicleContext,
  freshness: RowFreshness,
): UsedVehicleSummary | undefined {
  const tenure = inventoryTenureOf(unit, context, freshness);
  if (tenure === undefined) return undefined;
  return {
    inventory_tenure: tenure,
    history_report_status: historyReportStatus(unit),
    certification_type: certificationType(unit),
  };
}
