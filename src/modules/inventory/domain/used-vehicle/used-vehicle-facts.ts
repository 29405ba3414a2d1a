import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { closed, Distance, stringEnum, Timestamp, Uri } from '../../../../kernel/schema/dap-common.js';
import { CERTIFICATION_TYPES } from './used-vehicle-vocabulary.js';

/**
 * What a dealer or a provider states about a used unit: the objects of used-vehicle.schema.json without provenance and
 * freshness, which are added when they are published. Costs, labour and technician notes have no member (DAP-UV-026).
 * Bounds that DAP does not set are ours.
 */
const REPORTED = ['reported', 'not_reported', 'unknown'] as const;
const Count = Type.Integer({ minimum: 0, maximum: 100_000 });
const Points = Type.Integer({ minimum: 0, maximum: 1000 });
const HttpsUri = { ...Uri, maxLength: 2048 } as typeof Uri;

const PRIOR_USES = [
  'personal',
  'lease',
  'rental',
  'fleet',
  'commercial',
  'government',
  'taxi_or_rideshare',
  'other',
  'unknown',
] as const;

/** What a provider's report says in short. Kept only where the provider lets it be shared (DAP-UV-012). */
export const HistorySummary = Type.Object(
  {
    accident_status: stringEnum(['events_reported', 'no_events_reported', 'unknown'] as const),
    accident_event_count: Type.Optional(Count),
    damage_status: stringEnum(['damage_reported', 'no_damage_reported', 'unknown'] as const),
    structural_damage_status: Type.Optional(stringEnum(REPORTED)),
    airbag_deployment_status: Type.Optional(stringEnum(REPORTED)),
    title_brand_status: stringEnum(['brands_reported', 'no_brands_reported', 'unknown'] as const),
    odometer_consistency: stringEnum(['consistent', 'discrepancy_reported', 'unknown'] as const),
    owner_count_status: stringEnum(['known', 'unknown'] as const),
    owner_count: Type.Optional(Count),
    prior_use: Type.Optional(Type.Array(stringEnum(PRIOR_USES), { uniqueItems: true, maxItems: PRIOR_USES.length })),
    service_record_count: Type.Optional(Count),
    last_reported_odometer: Type.Optional(Distance),
  },
  {
    ...closed,
    allOf: [
      {
        if: { properties: { owner_count_status: { const: 'known' } } },
        then: { required: ['owner_count'] },
      },
      {
        // A summary that counts accidents and reports none says nothing that can be shown.
        if: { properties: { accident_status: { const: 'no_events_reported' } } },
        then: { properties: { accident_event_count: { const: 0 } } },
      },
    ],
  },
);
export type HistorySummary = Static<typeof HistorySummary>;

const TITLE_BRANDS = [
  'salvage',
  'rebuilt',
  'flood',
  'lemon',
  'junk',
  'fire',
  'hail',
  'odometer',
  'manufacturer_buyback',
  'other',
] as const;

export const titleMembers = {
  status: stringEnum(['clear', 'branded', 'pending', 'in_transit', 'unknown'] as const),
  brands: Type.Array(stringEnum(TITLE_BRANDS), { uniqueItems: true, maxItems: TITLE_BRANDS.length }),
  jurisdiction: Type.Optional(Type.String({ pattern: '^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$' })),
};
export const TitleFacts = Type.Object(titleMembers, closed);
export type TitleFacts = Static<typeof TitleFacts>;

const ConditionComponent = Type.Object(
  {
    component: stringEnum([
      'exterior',
      'interior',
      'mechanical',
      'electrical',
      'tires',
      'brakes',
      'glass',
      'frame',
      'battery',
    ] as const),
    status: stringEnum(['pass', 'attention', 'fail', 'not_inspected', 'unknown'] as const),
    note: Type.Optional(Type.String({ maxLength: 500 })),
  },
  closed,
);

/** A grade means nothing without the system it belongs to (DAP-UV-022). */
const Grade = Type.Object(
  {
    system: Type.String({ minLength: 1, maxLength: 120 }),
    value: Type.String({ minLength: 1, maxLength: 80 }),
  },
  closed,
);

export const conditionReportMembers = {
  status: stringEnum(['completed', 'partial', 'not_inspected', 'unknown'] as const),
  inspection_authority: stringEnum(['manufacturer_program', 'independent_third_party', 'dealer', 'unknown'] as const),
  inspector_name: Type.Optional(Type.String({ maxLength: 200 })),
  inspected_at: Type.Optional(Timestamp),
  report_url: Type.Optional(HttpsUri),
  inspection_point_count: Type.Optional(Points),
  grade: Type.Optional(Grade),
  components: Type.Optional(Type.Array(ConditionComponent, { maxItems: 50 })),
  disclosed_damage: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 100 })),
};
export const ConditionReportFacts = Type.Object(conditionReportMembers, closed);
export type ConditionReportFacts = Static<typeof ConditionReportFacts>;

const WarrantyCoverage = Type.Object(
  {
    coverage_type: stringEnum([
      'basic',
      'powertrain',
      'corrosion',
      'roadside',
      'ev_battery',
      'cpo_limited',
      'dealer_limited',
      'service_contract',
      'other',
    ] as const),
    status: stringEnum(['included', 'remaining_factory', 'optional', 'expired', 'unknown'] as const),
    term_months: Type.Optional(Type.Integer({ minimum: 0, maximum: 600 })),
    distance_limit: Type.Optional(Distance),
    expires_at: Type.Optional(Timestamp),
    transferable: Type.Optional(Type.Boolean()),
    description: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  closed,
);

export const certificationMembers = {
  type: stringEnum(CERTIFICATION_TYPES),
  program_name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  certified_at: Type.Optional(Timestamp),
  inspection_point_count: Type.Optional(Points),
  warranty: Type.Optional(Type.Array(WarrantyCoverage, { maxItems: 20 })),
};
export const CertificationFacts = Type.Object(certificationMembers, closed);
export type CertificationFacts = Static<typeof CertificationFacts>;

const ReconditioningItem = Type.Object(
  {
    category: stringEnum([
      'mechanical',
      'safety',
      'tires',
      'brakes',
      'cosmetic',
      'interior',
      'glass',
      'electrical',
      'recall',
      'other',
    ] as const),
    description: Type.String({ minLength: 1, maxLength: 500 }),
    status: stringEnum(['planned', 'in_progress', 'completed', 'declined', 'unknown'] as const),
  },
  closed,
);

export const reconditioningMembers = {
  status: stringEnum(['not_started', 'in_progress', 'completed', 'unknown'] as const),
  completed_at: Type.Optional(Timestamp),
  items: Type.Array(ReconditioningItem, { maxItems: 100 }),
};
export const ReconditioningFacts = Type.Object(reconditioningMembers, closed);
export type ReconditioningFacts = Static<typeof ReconditioningFacts>;
