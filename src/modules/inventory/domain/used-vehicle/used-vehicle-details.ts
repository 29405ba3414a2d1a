import { freshnessState } from '../vehicle-record/freshness.js';
import type { ListedUnit } from '../listed-unit.js';
import type { RowFreshness } from '../vehicle-record/row-attribution.js';
import { factProvenance, recordProvenance, rowFreshness } from '../vehicle-record/row-attribution.js';
import type { VehicleContext } from '../vehicle-record/vehicle-context.js';
import { shownUnit } from '../vehicle-record/withhold-fields.js';
import { publishedDiscrepancies, type ReviewedFields } from './discrepancies.js';
import { inventoryTenureOf } from './inventory-tenure.js';
import { publishedHistoryReports } from './published-history-reports.js';
import { certificationType } from './summary-facts.js';
import type { UsedVehicleDetails } from './used-vehicle-details-schema.js';
import type { TitleFacts } from './used-vehicle-facts.js';

/**
 * Everything that is known of a used unit, each fact with its source and its state at `now` (milliseconds). What nobody
 * stated is `unknown`; nothing is made up (decision record 0021).
 * @param reviewed what the dealer reviewed of what sources disagree on.
 * @returns undefined for a new unit, and for one without what the protocol demands: an odometer reading, and an age in
 *   stock that is known and that the rooftop publishes.
 */
export function usedVehicleDetails(
  listed: ListedUnit,
  context: VehicleContext,
  now: number,
  traceId: string,
  reviewed?: ReviewedFields,
): UsedVehicleDetails | undefined {
  const { inventorySlaSeconds, withheldFields } = context.rooftop;
  const unit = shownUnit(listed, withheldFields) as ListedUnit; // of what may be missing, details have the odometer alone
  const state = freshnessState(unit.observedAt + inventorySlaSeconds * 1000, now);
  const freshness = rowFreshness(unit.observedAt, inventorySlaSeconds, state);
  const tenure = inventoryTenureOf(unit, context, freshness);
  if (tenure === undefined || unit.odometer === undefined || unit.condition === 'new') return undefined;
  const record = recordProvenance(context.source, freshness.observed_at);
  const fact = { provenance: factProvenance(context.source, freshness.observed_at), freshness };
  const reports = publishedHistoryReports(unit, freshness);
  return {
    vehicle_id: context.vehicleId,
    organization_id: context.organizationId,
    rooftop_id: unit.rooftopId,
    vin: unit.vin,
    condition: unit.condition,
    odometer: {
      reading: { value: unit.odometer.value, unit: unit.odometer.unit },
      status: unit.odometerStatus ?? 'unknown',
      observed_at: freshness.observed_at,
      ...fact,
    },
    inventory_tenure: tenure,
    history_reports: reports,
    ...statedFacts(unit, fact),
    discrepancies: publishedDiscrepancies(unit, context.source, reviewed).map(({ entry }) => entry),
    provenance: {
      ...record,
      sources: [...record.sources, ...reports.flatMap((report) => report.provenance.sources)],
    },
    freshness,
    trace_id: traceId,
  };
}

interface Attributed {
  readonly provenance: ReturnType<typeof factProvenance>;
  readonly freshness: RowFreshness;
}

function statedFacts(
  unit: ListedUnit,
  fact: Attributed,
): Pick<UsedVehicleDetails, 'title' | 'condition_report' | 'certification' | 'reconditioning'> {
  return {
    title: { ...titleOf(unit), ...fact },
    condition_report: {
      ...(unit.conditionReport ?? { status: 'unknown', inspection_authority: 'unknown' }),
      ...fact,
    },
    certification: { ...unit.certification, type: certificationType(unit), ...fact },
    reconditioning: { ...(unit.reconditioning ?? { status: 'unknown', items: [] }), ...fact },
  };
}

/** A brand stands however it was told, and a branded title is never clear. */
function titleOf(unit: ListedUnit): TitleFacts {
  const stated = unit.title ?? { status: 'unknown', brands: [] };
  const brands = [...new Set([...stated.brands, ...unit.titleBrands])];
  const branded = brands.length > 0 && (stated.status === 'clear' || stated.status === 'unknown');
  return { ...stated, status: branded ? 'branded' : stated.status, brands };
}
