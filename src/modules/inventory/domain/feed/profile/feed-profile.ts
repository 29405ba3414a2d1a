import type { AvailabilityStatus, Condition } from '../../vehicle-schema.js';

/** What a profile can say about a row. Cost, invoice, wholesale and book values have no name here (decision record 0002). */
export const SOURCE_FIELDS = [
  'organizationId',
  'dealerKey',
  'vin',
  'stockNumber',
  'year',
  'make',
  'model',
  'trim',
  'condition',
  'certified',
  'certificationType',
  'vehicleType',
  'bodyStyle',
  'exteriorColor',
  'interiorColor',
  'odometer',
  'odometerAgain',
  'odometerUnit',
  'fuelType',
  'drivetrain',
  'transmission',
  'price',
  'listPrice',
  'currency',
  'charges',
  'adjustments',
  'offers',
  'foldedPrice',
  'governmentCharges',
  'status',
  'disposition',
  'offSite',
  'listingUrl',
  'images',
  'features',
  'description',
  'observedAt',
  'stockedAt',
  'firstListedAt',
  'historyReports',
  'carfaxUrl',
  'autocheckUrl',
  'odometerStatus',
  'title',
  'conditionReport',
  'certification',
  'reconditioning',
] as const;
export type SourceField = (typeof SOURCE_FIELDS)[number];

/** How the bytes of a format are laid out. `columns` of a positional layout name its positions. */
export type CodecSpec =
  | { readonly kind: 'delimited' }
  | {
      readonly kind: 'positional';
      readonly delimiters: readonly PositionalDelimiter[];
      readonly columns: readonly string[];
    }
  | { readonly kind: 'xml'; readonly records: readonly string[] }
  | { readonly kind: 'json'; readonly records: readonly string[]; readonly storesMember?: string };

export interface PositionalDelimiter {
  readonly delimiter: string;
  readonly quoting: boolean;
}

/** What a condition word means. A title brand is reported, never hidden in the condition. */
export interface ConditionMeaning {
  readonly condition: Condition;
  readonly titleBrand?: 'rebuilt' | 'salvage';
}

/** Keys are words without case and punctuation (`headerKey`). */
export type Vocabulary<T> = Readonly<Record<string, T>>;

export interface ProfileRules {
  /** Amounts of price columns: decimal text of major units, or integers of minor units. */
  readonly amounts: 'major' | 'minor';
  readonly conditions: Vocabulary<ConditionMeaning>;
  /** A certified mark makes a unit certified even where no condition word is given. */
  readonly certifiedDecides?: boolean;
  /** The format has no condition column because its senders have one kind of car only. */
  readonly conditionAssumed?: Condition;
  readonly statuses: Vocabulary<AvailabilityStatus>;
  readonly emptyStatus: 'available' | 'unknown';
  /** A price above the list price contradicts it: the list price is the regular price of the same offer. */
  readonly listPriceIsCeiling?: boolean;
  /** Unit that the format itself defines. */
  readonly odometerUnit?: 'mi' | 'km';
  /** An empty unit cell is never filled from the settings. */
  readonly odometerUnitMandatory?: boolean;
  /** Photo lists are split at the first of these that splits a cell. */
  readonly photoSeparators: readonly RegExp[];
  readonly featureSeparator: RegExp;
  /**
   * The normative DAP CSV (§4.7): ids of the row must be ours, unknown words and impossible dates quarantine, the listing
   * URL must be https. Exports of other vendors are read leniently, with flags.
   */
  readonly normative?: boolean;
}

/** A feed format as data over a codec. */
export interface FeedProfile {
  readonly name: string;
  /** Layouts in which the format is sent. */
  readonly codecs: readonly CodecSpec[];
  /** Sets of columns that only this format has. None: the format must be named. */
  readonly signatures: readonly (readonly string[])[];
  /** Source columns of each field; the first one with content counts. */
  readonly columns: Readonly<Partial<Record<SourceField, readonly string[]>>>;
  /** Fields for which the file must have a column. */
  readonly required: readonly SourceField[];
  readonly rules: ProfileRules;
}
