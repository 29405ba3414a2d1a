import type { Money } from '../../../kernel/money.js';
import type {
  CertificationFacts,
  ConditionReportFacts,
  HistorySummary,
  ReconditioningFacts,
  TitleFacts,
} from './used-vehicle/used-vehicle-facts.js';
import type {
  CertificationType,
  OdometerStatus,
  ReportAccess,
  ReportStatus,
} from './used-vehicle/used-vehicle-vocabulary.js';
import type { AvailabilityStatus, Condition, Drivetrain, FuelType, VehicleType } from './vehicle-schema.js';

/**
 * One row of a feed after normalisation: what the source says, in our vocabulary and exact units. A member that is absent
 * was not given; absent is never zero, false or "none" (decision record 0002). Cost, invoice, wholesale and book values
 * have no member here: they are dropped at the door.
 */
export interface ListedUnit {
  readonly rooftopId: string;
  readonly vin: string;
  readonly stockNumber: string;
  readonly year: number;
  readonly make: string;
  readonly model: string;
  readonly trim?: string;
  readonly condition: Condition;
  readonly vehicleType?: VehicleType;
  readonly bodyStyle?: string;
  readonly exteriorColor?: string;
  readonly interiorColor?: string;
  readonly odometer?: { readonly value: number; readonly unit: 'mi' | 'km' };
  /** What the dealer says of the reading, where the row says anything. */
  readonly odometerStatus?: OdometerStatus;
  readonly fuelType?: FuelType;
  readonly drivetrain?: Drivetrain;
  readonly transmission?: string;
  /** The generally available offer. Absent when the source gives none: such a unit is withheld from DAP. */
  readonly advertisedPrice?: Money;
  /** MSRP or regular price. Kept, never published as the advertised price. */
  readonly listPrice?: Money;
  /** Required dealer charges that the row itself lists; absent when the row says nothing about charges. */
  readonly requiredCharges?: readonly RequiredCharge[];
  readonly conditionalAdjustments: readonly ConditionalAdjustment[];
  readonly governmentChargesStatus?: 'unknown' | 'estimated' | 'calculated' | 'not_applicable';
  readonly availability: AvailabilityStatus;
  /** https or http URL of the unit's page; only https is published. */
  readonly listingUrl?: string;
  /** Absolute http(s) image URLs in order, without repeats; only https ones are published. */
  readonly imageUrls: readonly string[];
  readonly features: readonly string[];
  /** Plain text. Never published over DAP, never interpreted (DAP security profile §8). */
  readonly description?: string;
  /** Milliseconds. When the source says it looked; else when the file was received. */
  readonly observedAt: number;
  /** RFC 3339 with offset. */
  readonly stockedAt?: string;
  readonly stockedAtPrecision?: 'day' | 'second';
  readonly firstListedAt?: string;
  readonly historyReports: readonly HistoryReportRef[];
  readonly certificationType?: CertificationType;
  readonly certification?: CertificationFacts;
  /** Brands that the condition word reports. */
  readonly titleBrands: readonly ('rebuilt' | 'salvage')[];
  readonly title?: TitleFacts;
  readonly conditionReport?: ConditionReportFacts;
  readonly reconditioning?: ReconditioningFacts;
  /** Outcome of the VIN check digit; `not_applicable` outside the five North American first characters. */
  readonly vinChecksum: 'passed' | 'failed' | 'not_applicable';
  /** Raw key of the store in the file, where the format has one. */
  readonly dealerKey?: string;
}

export interface RequiredCharge {
  readonly name: string;
  readonly amount: Money;
  readonly payee: 'dealer' | 'dealer_vendor' | 'other';
  readonly includedInAdvertisedPrice: boolean;
}

export interface ConditionalAdjustment {
  readonly name: string;
  readonly direction: 'discount' | 'surcharge';
  readonly amount?: Money;
  /** The source's own words about who qualifies; becomes criterion `other` (decision record 0002). */
  readonly eligibility?: string;
  readonly stacking?: string;
}

/** A provider's report on a unit. What a provider does not let be shared is not in here (DAP-UV-012). */
export interface HistoryReportRef {
  /** Reverse-domain name, for example `com.carfax`. */
  readonly providerId: string;
  readonly providerName: string;
  readonly reportId?: string;
  readonly status: ReportStatus;
  readonly access: ReportAccess;
  readonly reportUrl?: string;
  /** RFC 3339 with offset: when the provider made the report. */
  readonly generatedAt?: string;
  /** RFC 3339 with offset: when the dealer's system saw the report, where it says so. */
  readonly observedAt?: string;
  readonly summarySharingAuthorized: boolean;
  /** Only where sharing is authorised. */
  readonly summary?: HistorySummary;
}

/** Names of the members whose source column is recorded for every unit. */
export type UnitField = keyof ListedUnit;
