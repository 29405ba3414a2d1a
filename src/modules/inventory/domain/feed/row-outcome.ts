import type { ListedUnit, UnitField } from '../listed-unit.js';

/** Where a record stands in its file. `line` is the 1-based physical line of its start, `record` its 1-based position. */
export interface SourcePosition {
  readonly line: number;
  readonly record: number;
}

/** Why a row is refused. Names are stable: reports, tests and operators rely on them. */
export const QUARANTINE_REASONS = [
  'column_count',
  'quote_unbalanced',
  'record_too_large',
  'record_malformed',
  'required_missing',
  'organization_mismatch',
  'rooftop_unknown',
  'vin_invalid',
  'vin_placeholder',
  'vin_checksum_failed',
  'year_invalid',
  'condition_unknown',
  'price_invalid',
  'price_conflict',
  'currency_unexpected',
  'currency_missing',
  'odometer_invalid',
  'odometer_conflict',
  'odometer_unit_missing',
  'odometer_unit_invalid',
  'availability_unknown_value',
  'observed_at_invalid',
  'observed_at_future',
  'date_invalid',
  'json_invalid',
  'listing_url_invalid',
  'text_too_long',
  'duplicate_conflict',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** Why a sound row is kept but not offered. */
export const WITHHELD_REASONS = ['price_unknown', 'sold', 'unavailable', 'not_retail'] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** A note on a row that does not change what happens to it, for example `vin_checksum_failed` or `image_urls_dropped:2`. */
export interface RowFlag {
  readonly flag: string;
  readonly column?: string;
}

/** What one record of a file turned into, before duplicates are known. */
export type RowOutcome = UnitRow | QuarantinedRow;

export interface UnitRow {
  readonly kind: 'unit';
  readonly at: SourcePosition;
  readonly unit: ListedUnit;
  /** Set when the row is sound but not offered. */
  readonly withheld?: WithheldReason;
  readonly flags: readonly RowFlag[];
  /** Which column (or element path) each member came from. Rows of one shape share one object. */
  readonly columns: ColumnMap;
  /** Equal for two rows exactly when every cell is equal. */
  readonly fingerprint: string;
}

export interface QuarantinedRow {
  readonly kind: 'quarantined';
  readonly at: SourcePosition;
  readonly reason: QuarantineReason;
  /** Every reason found, `reason` first. */
  readonly problems: readonly RowProblem[];
  readonly rooftopId?: string;
  readonly vin?: string;
}

export interface RowProblem {
  readonly reason: QuarantineReason;
  readonly column?: string;
}

export type ColumnMap = Readonly<Partial<Record<UnitField, string>>>;
