import type { ListedUnit } from '../listed-unit.js';
import type { HistorySummary } from './used-vehicle-facts.js';

/** Facts that sources can disagree on; the names are those of the published members. */
export const DISPUTABLE_FACTS = [
  'accident_status',
  'accident_event_count',
  'damage_status',
  'structural_damage_status',
  'airbag_deployment_status',
  'title_brand_status',
  'odometer_consistency',
  'owner_count',
] as const;
export type DisputableFact = (typeof DISPUTABLE_FACTS)[number];

/** The odometer reading is disputed by a provider that has seen a higher one. */
export const ODOMETER_READING = 'odometer.reading';

/** A source of a unit: the dealer's own row, or the history report at a place of its list. */
export type Witness = 'dealer' | number;

/** One fact on which at least two sources of a unit say different things. */
export interface Disagreement {
  readonly field: DisputableFact | typeof ODOMETER_READING;
  /** What each source says, in the published words; never fewer than two. */
  readonly statements: readonly { readonly witness: Witness; readonly value: string }[];
}

/** Micrometres, so that miles and kilometres are compared without rounding (DAP-UV-005). */
const MICROMETRES = { mi: 1_609_344_000n, km: 1_000_000_000n } as const;

/**
 * Everything on which the sources of a unit disagree (DAP-UV-019). A source that does not know takes no part: a missing
 * report is neither for nor against. Nothing is decided here, so that no kinder value can be chosen (DAP-UV-020).
 */
export function disagreementsOf(unit: ListedUnit): readonly Disagreement[] {
  if (!unit.historyReports.some((report) => report.summary !== undefined)) return [];
  const found = DISPUTABLE_FACTS.flatMap((field) => {
    const statements = statementsOn(field, unit);
    return new Set(statements.map((s) => s.value)).size > 1 ? [{ field, statements }] : [];
  });
  const reading = higherReading(unit);
  return reading === undefined ? found : [...found, reading];
}

function statementsOn(field: DisputableFact, unit: ListedUnit): Disagreement['statements'] {
  const dealer = dealerStatement(field, unit);
  const statements: { witness: Witness; value: string }[] =
    dealer === undefined ? [] : [{ witness: 'dealer', value: dealer }];
  unit.historyReports.forEach(({ summary }, witness) => {
    const value = summary === undefined ? undefined : providerStatement(field, summary);
    if (value !== undefined) statements.push({ witness, value });
  });
  return statements;
}

function providerStatement(field: DisputableFact, summary: HistorySummary): string | undefined {
  if (field === 'owner_count' && summary.owner_count_status === 'unknown') return undefined;
  // A provider without events has no count to compare; that it reports none is said by the status.
  if (field === 'accident_event_count' && summary.accident_status !== 'events_reported') return undefined;
  const value = summary[field];
  return value === undefined || value === 'unknown' ? undefined : String(value);
}

/** The dealer speaks of title and odometer in other words than providers do. */
function dealerStatement(field: DisputableFact, unit: ListedUnit): string | undefined {
  if (field === 'title_brand_status') {
    const branded = unit.title?.status === 'branded' || unit.title?.brands.length || unit.titleBrands.length;
    if (branded) return 'brands_reported';
    return unit.title?.status === 'clear' ? 'no_brands_reported' : undefined;
  }
  if (field !== 'odometer_consistency') return undefined;
  if (unit.odometerStatus === 'actual') return 'consistent';
  const doubtful = unit.odometerStatus === 'not_actual' || unit.odometerStatus === 'exceeds_mechanical_limits';
  return doubtful ? 'discrepancy_reported' : undefined;
}

function higherReading(unit: ListedUnit): Disagreement | undefined {
  const shown = unit.odometer;
  if (shown === undefined) return undefined;
  const higher = unit.historyReports.flatMap(({ summary }, witness) => {
    const seen = summary?.last_reported_odometer;
    return seen !== undefined && exceeds(seen, shown) ? [{ witness, value: `${seen.value} ${seen.unit}` }] : [];
  });
  if (higher.length === 0) return undefined;
  const dealer = { witness: 'dealer' as const, value: `${shown.value} ${shown.unit}` };
  return { field: ODOMETER_READING, statements: [dealer, ...higher] };
}

interface Reading {
  readonly value: number;
  readonly unit: 'mi' | 'km';
}

/** Readings in different units were rounded once more than the others: less than a mile apart is the same. */
function exceeds(seen: Reading, shown: Reading): boolean {
  const apart = BigInt(seen.value) * MICROMETRES[seen.unit] - BigInt(shown.value) * MICROMETRES[shown.unit];
  return apart >= (seen.unit === shown.unit ? 1n : MICROMETRES.mi);
}
