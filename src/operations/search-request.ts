import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../kernel/limits.js';
import { closed, Distance, Identifier, NonNegativeMoney, stringEnum, Vin } from '../kernel/schema/dap-common.js';
import { CERTIFICATION_TYPES, CONDITIONS, HISTORY_REPORT_STATUSES, VEHICLE_TYPES } from '../modules/inventory/index.js';

const values = { uniqueItems: true, maxItems: LIMITS.filterValues.value };
const Year = Type.Integer({ minimum: 1886, maximum: 2200 });
/** Of filters that only units with a published used-vehicle summary can match. */
const PUBLISHED_ONLY = 'Matches only vehicles that publish a used_vehicle summary.';
const Days = Type.Integer({ minimum: 0, description: PUBLISHED_ONLY });
const published = { ...values, description: PUBLISHED_ONLY };

const SearchFilters = Type.Object(
  {
    vehicle_type: Type.Optional(Type.Array(stringEnum(VEHICLE_TYPES), values)),
    make: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        ...values,
        description: 'Compared without case and punctuation.',
      }),
    ),
    model: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 120 }), {
        ...values,
        description: 'Compared without case and punctuation.',
      }),
    ),
    condition: Type.Optional(Type.Array(stringEnum(CONDITIONS), values)),
    year_min: Type.Optional(Year),
    year_max: Type.Optional(Year),
    price_min: Type.Optional(NonNegativeMoney),
    price_max: Type.Optional(NonNegativeMoney),
    odometer_min: Type.Optional(Distance),
    odometer_max: Type.Optional(Distance),
    inventory_age_min_days: Type.Optional(Days),
    inventory_age_max_days: Type.Optional(Days),
    history_report_status: Type.Optional(Type.Array(stringEnum(HISTORY_REPORT_STATUSES), published)),
    certification_type: Type.Optional(Type.Array(stringEnum(CERTIFICATION_TYPES), published)),
    availability: Type.Optional(
      Type.Array(stringEnum(['available', 'in_transit', 'on_hold', 'pending_sale'] as const), values),
    ),
    vin: Type.Optional(Vin),
    stock_number: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  },
  closed,
);

/** DAP searchRequest, with bounds where DAP gives none. */
export const SearchRequest = Type.Object(
  {
    organization_id: Identifier,
    rooftop_ids: Type.Optional(
      Type.Array(Identifier, { minItems: 1, maxItems: LIMITS.rooftopIdsPerRequest.value, uniqueItems: true }),
    ),
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'Words that must all match year, make, model, trim, condition, stock number or VIN. A word that matches nothing is looked for in makes and models with one letter wrong, missing, surplus or swapped.',
      }),
    ),
    filters: Type.Optional(SearchFilters),
    sort: Type.Optional(
      Type.Object(
        {
          field: stringEnum(['advertised_price', 'year', 'odometer', 'inventory_age_days', 'observed_at'] as const),
          order: stringEnum(['asc', 'desc'] as const),
        },
        {
          ...closed,
          description:
            'Vehicles without the value come last in both directions; ties are in order of rooftop and vehicle id.',
        },
      ),
    ),
    page: Type.Optional(
      Type.Object(
        {
          cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.searchPageMax.value })),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type SearchRequest = Static<typeof SearchRequest>;
