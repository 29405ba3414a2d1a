import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { AVAILABILITY_BANDS } from '../../../kernel/availability-band.js';
import {
  closed,
  Freshness,
  Identifier,
  NonNegativeMoney,
  Provenance,
  stringEnum,
} from '../../../kernel/schema/dap-common.js';
import { AdvertisedPrice, conditionalAdjustmentMembers, Jurisdiction } from '../../../kernel/schema/dap-pricing.js';

/** A cell of a feed holds fewer charges and adjustments than this, so nothing that is owed is ever cut off (DAP-PR-002). */
const CHARGES_MAX = 1000;
const ADJUSTMENTS_MAX = 2000;

const Sentence = Type.String({ minLength: 1, maxLength: 500 });

export const DealerCharge = Type.Object(
  {
    charge_id: Identifier,
    name: Type.String({ minLength: 1, maxLength: 160 }),
    amount: NonNegativeMoney,
    payee: stringEnum(['dealer', 'dealer_vendor', 'other'] as const),
    included_in_advertised_price: Type.Boolean(),
    required: Type.Literal(true),
    provenance: Type.Optional(Provenance),
  },
  closed,
);
export type DealerCharge = Static<typeof DealerCharge>;

export const DisclosedAdjustment = Type.Object(
  { ...conditionalAdjustmentMembers, provenance: Type.Optional(Provenance) },
  closed,
);
export type DisclosedAdjustment = Static<typeof DisclosedAdjustment>;

export const GovernmentChargeLine = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 160 }),
    amount: NonNegativeMoney,
    payee: stringEnum(['government', 'government_agent'] as const),
    basis: Type.Optional(Sentence),
  },
  closed,
);
export type GovernmentChargeLine = Static<typeof GovernmentChargeLine>;

export const GOVERNMENT_STATUSES = ['unknown', 'estimated', 'calculated', 'not_applicable'] as const;
export type GovernmentStatus = (typeof GOVERNMENT_STATUSES)[number];

export const GovernmentCharges = Type.Object(
  {
    status: stringEnum(GOVERNMENT_STATUSES),
    jurisdiction: Type.Optional(Jurisdiction),
    lines: Type.Optional(Type.Array(GovernmentChargeLine, { maxItems: 50 })),
    total: Type.Optional(NonNegativeMoney),
    assumptions: Type.Optional(Type.Array(Sentence, { maxItems: 32 })),
    provenance: Type.Optional(Provenance),
  },
  closed,
);
export type GovernmentCharges = Static<typeof GovernmentCharges>;

export const DisclosureCompleteness = Type.Object(
  {
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    components: Type.Object(
      {
        advertised_price_present_and_authoritative: Type.Boolean(),
        required_dealer_charges_itemized: Type.Boolean(),
        conditional_adjustments_have_eligibility_and_stacking: Type.Boolean(),
        government_charges_classified: Type.Boolean(),
        availability_band: stringEnum(AVAILABILITY_BANDS),
      },
      closed,
    ),
  },
  closed,
);
export type DisclosureCompleteness = Static<typeof DisclosureCompleteness>;

export const Uncertainty = Type.Object(
  {
    status: stringEnum(['exact', 'estimated', 'unknown', 'not_applicable'] as const),
    reason: Type.Optional(Sentence),
    assumptions: Type.Optional(Type.Array(Sentence, { maxItems: 32 })),
  },
  closed,
);
export type Uncertainty = Static<typeof Uncertainty>;

/** DAP pricingDisclosure (pricing.schema.json): four parts that are never added up, and how far they can be relied on. */
export const PricingDisclosure = Type.Object(
  {
    disclosure_id: Identifier,
    vehicle_id: Identifier,
    organization_id: Identifier,
    rooftop_id: Identifier,
    advertised_price: AdvertisedPrice,
    required_dealer_charges: Type.Array(DealerCharge, { maxItems: CHARGES_MAX }),
    conditional_adjustments: Type.Array(DisclosedAdjustment, { maxItems: ADJUSTMENTS_MAX }),
    government_charges: GovernmentCharges,
    disclosure_completeness: DisclosureCompleteness,
    disclosure_text: Type.Optional(Type.String({ maxLength: 4000 })),
    uncertainty: Uncertainty,
    provenance: Provenance,
    freshness: Freshness,
  },
  closed,
);
export type PricingDisclosure = Static<typeof PricingDisclosure>;
