import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { closed, Freshness, Provenance, stringEnum, Timestamp } from '../../../../kernel/schema/dap-common.js';
import { CERTIFICATION_TYPES, HISTORY_REPORT_STATUSES } from './used-vehicle-vocabulary.js';

/** Who says a fact, and how long it counts as current. */
export const attribution = { provenance: Provenance, freshness: Freshness };

/** How long a unit has been in stock: a dated statement with its basis (DAP-UV-006). */
export const InventoryTenure = Type.Object(
  {
    stocked_at: Timestamp,
    first_public_listing_at: Type.Optional(Timestamp),
    age_days: Type.Integer({ minimum: 0 }),
    age_as_of: Timestamp,
    age_basis: stringEnum(['stocked_at', 'first_public_listing_at', 'source_reported'] as const),
    ...attribution,
  },
  closed,
);
export type InventoryTenure = Static<typeof InventoryTenure>;

/** What a published vehicle says of itself as a used one. */
export const UsedVehicleSummary = Type.Object(
  {
    inventory_tenure: InventoryTenure,
    history_report_status: stringEnum(HISTORY_REPORT_STATUSES),
    certification_type: stringEnum(CERTIFICATION_TYPES),
  },
  closed,
);
export type UsedVehicleSummary = Static<typeof UsedVehicleSummary>;
