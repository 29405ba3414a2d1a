import type { KeysetPosition } from '../../../../kernel/cursor/keyset-position.js';
import type { Money } from '../../../../kernel/money.js';
import type { CertificationType, HistoryReportStatus } from '../used-vehicle/used-vehicle-vocabulary.js';
import type { AvailabilityStatus, Condition, VehicleType } from '../vehicle-schema.js';

/** The fields that units can be sorted by (DAP §2.7). */
export const SORT_FIELDS = ['advertised_price', 'year', 'odometer', 'inventory_age_days', 'observed_at'] as const;
export type SortField = (typeof SORT_FIELDS)[number];

export interface SearchSort {
  readonly field: SortField;
  readonly order: 'asc' | 'desc';
}

/** Filters in one spelling: lists sorted and without repeats, an empty list or null meaning "no constraint". */
export interface NormalisedFilters {
  readonly vehicleTypes: readonly VehicleType[];
  /** `comparable` forms. */
  readonly makes: readonly string[];
  /** `comparable` forms. */
  readonly models: readonly string[];
  readonly conditions: readonly Condition[];
  readonly availability: readonly AvailabilityStatus[];
  readonly historyReportStatuses: readonly HistoryReportStatus[];
  readonly certificationTypes: readonly CertificationType[];
  readonly yearMin: number | null;
  readonly yearMax: number | null;
  readonly priceMin: Money | null;
  readonly priceMax: Money | null;
  /** Millimetres. */
  readonly odometerMin: number | null;
  /** Millimetres. */
  readonly odometerMax: number | null;
  /** Whole days. */
  readonly ageMinDays: number | null;
  /** Whole days. */
  readonly ageMaxDays: number | null;
  readonly vin: string | null;
  readonly stockNumber: string | null;
}

/** A search that has been validated and decided upon: what it asks for, in one spelling. */
export interface NormalisedQuery {
  /** The rooftops to look at, sorted; null for all of the organization. */
  readonly rooftopIds: readonly string[] | null;
  /** Case-folded words, sorted, each of which must match. */
  readonly tokens: readonly string[];
  readonly filters: NormalisedFilters;
  readonly sort: SearchSort | null;
  /** Units per page. */
  readonly limit: number;
  /** Where the previous page ended; absent for the first page. */
  readonly after?: KeysetPosition;
  /** Everything above but limit and after, as one string: equal for equal result sets. */
  readonly canonical: string;
}
