import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { Failure } from '../kernel/failure/failure.js';
import type { Violation } from '../kernel/failure/violation.js';
import { LIMITS } from '../kernel/limits.js';
import { closed, Distance, Identifier, NonNegativeMoney, stringEnum, Vin } from '../kernel/schema/dap-common.js';
import { CONDITIONS, VEHICLE_TYPES } from '../modules/inventory/index.js';

const values = { uniqueItems: true, maxItems: LIMITS.filterValues.value };
const Year = Type.Integer({ minimum: 1886, maximum: 2200 });
const Days = Type.Integer({ minimum: 0 });

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
    history_report_status: Type.Optional(
      Type.Array(stringEnum(['available', 'not_available', 'restricted', 'unknown', 'conflicting'] as const), values),
    ),
    certification_type: Type.Optional(
      Type.Array(
        stringEnum([
          'manufacturer_cpo',
          'dealer_certified',
          'third_party_certified',
          'not_certified',
          'unknown',
        ] as const),
        values,
      ),
    ),
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
        description: 'Words that must all match year, make, model, trim, condition, stock number or VIN.',
      }),
    ),
    filters: Type.Optional(SearchFilters),
    sort: Type.Optional(
      Type.Object(
        {
          field: stringEnum(['advertised_price', 'year', 'odometer', 'inventory_age_days', 'observed_at'] as const),
          order: stringEnum(['asc', 'desc'] as const),
        },
        closed,
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

const USED_VEHICLE_FILTERS = [
  'inventory_age_min_days',
  'inventory_age_max_days',
  'history_report_status',
  'certification_type',
] as const;

/**
 * What a schema cannot say. A filter of the used-vehicle profile is refused, not ignored, while that profile is not offered:
 * ignoring it would pass off every unit as a match (DAP-UV-028).
 * @param currencies those of the rooftops that are searched.
 * @throws Failure `capability.unsupported` or `input.invalid`.
 */
export function checkSearchRequest(request: SearchRequest, currencies: ReadonlySet<string>): void {
  const filters = request.filters;
  if (request.sort?.field === 'inventory_age_days')
    throw new Failure('capability.unsupported', { auditReason: 'used_vehicle_profile_not_offered' });
  if (filters === undefined) return;
  if (USED_VEHICLE_FILTERS.some((name) => filters[name] !== undefined))
    throw new Failure('capability.unsupported', { auditReason: 'used_vehicle_profile_not_offered' });
  const violations = [...rangeViolations(filters), ...currencyViolations(filters, currencies)];
  if (violations.length > 0) throw new Failure('input.invalid', { violations });
}

type Filters = NonNullable<SearchRequest['filters']>;

function* rangeViolations(filters: Filters): Iterable<Violation> {
  const { year_min, year_max, price_min, price_max } = filters;
  if (year_min !== undefined && year_max !== undefined && year_min > year_max)
    yield { pointer: '/filters/year_max', keyword: 'minimum', explanation: 'must not be below year_min' };
  if (
    price_min !== undefined &&
    price_max !== undefined &&
    price_min.currency === price_max.currency &&
    price_min.amount_minor > price_max.amount_minor
  ) {
    yield {
      pointer: '/filters/price_max/amount_minor',
      keyword: 'minimum',
      explanation: 'must not be below price_min',
    };
  }
}

/** Amounts of different currencies cannot be compared: a currency that no searched rooftop uses is an error, not an empty page. */
function* currencyViolations(filters: Filters, currencies: ReadonlySet<string>): Iterable<Violation> {
  for (const name of ['price_min', 'price_max'] as const) {
    const money = filters[name];
    if (money !== undefined && !currencies.has(money.currency))
      yield {
        pointer: `/filters/${name}/currency`,
        keyword: 'enum',
        explanation: 'must be the currency of a rooftop that is searched',
      };
  }
}
