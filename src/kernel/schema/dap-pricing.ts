import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { closed, Identifier, NonNegativeMoney, stringEnum, Timestamp } from './dap-common.js';

/** Price vocabulary of DAP (pricing.schema.json) that settings and disclosures share. */

export const Jurisdiction = Type.Object(
  {
    country: Type.String({ pattern: '^[A-Z]{2}$' }),
    subdivision: Type.Optional(Type.String({ pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$' })),
    locality: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    postal_code: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
  },
  closed,
);
export type Jurisdiction = Static<typeof Jurisdiction>;

/** The published, generally available offer (DAP-PR-001). */
export const AdvertisedPrice = Type.Object(
  {
    amount: NonNegativeMoney,
    availability: Type.Literal('generally_available'),
    includes_required_dealer_charges: Type.Boolean(),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    valid_from: Type.Optional(Timestamp),
    valid_until: Type.Optional(Timestamp),
  },
  closed,
);

const CriterionScalar = Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]);

export const EligibilityCriterion = Type.Object(
  {
    criterion: stringEnum([
      'residency',
      'loyalty',
      'conquest',
      'military',
      'first_responder',
      'college_graduate',
      'finance_provider',
      'payment_mode',
      'trade_in',
      'lease_return',
      'membership',
      'other',
    ] as const),
    operator: stringEnum(['equals', 'in', 'present', 'verified'] as const),
    value: Type.Union([CriterionScalar, Type.Array(CriterionScalar, { maxItems: 50 })]),
    evidence_status: stringEnum(['required', 'claimed', 'verified', 'not_required'] as const),
    description: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  },
  closed,
);
export type EligibilityCriterion = Static<typeof EligibilityCriterion>;

export const Stacking = Type.Object(
  {
    group: Type.String({ minLength: 1, maxLength: 80 }),
    combinability: stringEnum(['stackable', 'exclusive', 'rule_defined'] as const),
    combinable_with: Type.Optional(Type.Array(Identifier, { maxItems: 50, uniqueItems: true })),
  },
  closed,
);
export type Stacking = Static<typeof Stacking>;

/**
 * What may be added to or taken from the advertised price of some buyers (DAP §4.5). The sign comes from `direction`, so
 * the amount is never negative. That a known amount is stated is checked in code: clients read plain schemas best.
 */
export const conditionalAdjustmentMembers = {
  adjustment_id: Identifier,
  name: Type.String({ minLength: 1, maxLength: 160 }),
  direction: stringEnum(['discount', 'surcharge'] as const),
  amount_status: stringEnum(['known', 'unknown'] as const),
  amount: Type.Optional(NonNegativeMoney),
  criteria: Type.Array(EligibilityCriterion, { minItems: 1, maxItems: 20 }),
  criteria_mode: Type.Optional(stringEnum(['all', 'any'] as const)),
  jurisdictions: Type.Optional(Type.Array(Jurisdiction, { maxItems: 60 })),
  valid_from: Type.Optional(Timestamp),
  valid_until: Type.Optional(Timestamp),
  stacking: Stacking,
} as const;

export const AdjustmentRule = Type.Object(conditionalAdjustmentMembers, closed);
export type AdjustmentRule = Static<typeof AdjustmentRule>;
