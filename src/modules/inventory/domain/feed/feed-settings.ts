import type { Condition } from '../vehicle-schema.js';

/**
 * How one feed is to be read, beside its format profile. Everything the result depends on is here or in the profile:
 * nothing is guessed from a row.
 */
export interface FeedSettings {
  /** ISO 4217 of prices that name no currency; a row that names another is quarantined. */
  readonly currency: string;
  /** IANA zone of dates and times without offset. */
  readonly timeZone: string;
  /** Unit of odometer values in formats without a unit column. Absent: a value without a unit is quarantined. */
  readonly odometerUnit?: 'mi' | 'km';
  /** Replaces the profile's order of price columns: the first usable one is the advertised price. */
  readonly priceColumns?: readonly string[];
  /** Extends the profile's vocabulary, keys compared without case and punctuation. */
  readonly conditionMap?: Readonly<Record<string, Condition>>;
  /** What a missing or empty status means. Absent: the profile's rule. */
  readonly emptyStatus?: 'available' | 'unknown';
  /** Character encoding. Absent or `auto`: a byte order mark, else UTF-8 where valid, else Windows-1252. */
  readonly encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** How decimals are written. `decimal_comma` accepts 1.234,56 and refuses 1,234.56. */
  readonly numberStyle?: 'decimal_point' | 'decimal_comma';
  /** Base for relative links, `{accountId}` is replaced by the row's dealer key. */
  readonly baseUrl?: string;
  /** Replaces profile columns: our field name → the file's header. */
  readonly headerOverrides?: Readonly<Record<string, string>>;
  /** What a failed VIN check digit does. Default `flag`. */
  readonly vinChecksum?: 'flag' | 'quarantine';
  /** What a price above the list price does. Absent: what the format says of its columns. Set by the dealer's policy alone. */
  readonly priceConflict?: 'quarantine';
  /** Whole-file guards. */
  readonly guards?: Partial<FeedGuards>;
}

export interface FeedGuards {
  /** Hold the file when more than this share of its rows is quarantined. 0..1. */
  readonly badRowShare: number;
  /** Hold the file when a rooftop would keep less than this share of its published units. 0..1. */
  readonly shrinkShare: number;
}

export const DEFAULT_GUARDS: FeedGuards = { badRowShare: 0.25, shrinkShare: 0.5 };

/** Which rooftop a row belongs to: one for the whole file, or by the store key in the row. */
export type RooftopBinding =
  | { readonly kind: 'single'; readonly rooftopId: string }
  | { readonly kind: 'by_key'; readonly keys: Readonly<Record<string, string>> };

/** What reading a file needs to know, all at once. */
export interface FeedReading {
  readonly organizationId: string;
  /** A profile name, or `auto` for detection by header. */
  readonly profile: string;
  /** `any` takes every store and organization as it comes: for dry runs alone, no feed is bound like that. */
  readonly rooftops: RooftopBinding | { readonly kind: 'any' };
  readonly settings: FeedSettings;
  /** Milliseconds: when the file arrived. Observation time of formats that carry none; bound for future timestamps. */
  readonly receivedAt: number;
}
