import { Failure } from '../kernel/failure/failure.js';
import type { Violation } from '../kernel/failure/violation.js';
import { millimetresOf } from '../modules/inventory/index.js';
import type { SearchRequest } from './search-request.js';
import type { SearchScope } from './search-scope.js';
import type { WithheldField } from '../modules/tenancy/index.js';

type Filters = NonNullable<SearchRequest['filters']>;
type SortField = NonNullable<SearchRequest['sort']>['field'];

/** What of a search reads each field that may be withheld. A used-vehicle summary is nothing without the inventory age. */
const READERS: Partial<
  Record<
    WithheldField,
    { readonly filters: readonly (keyof Filters)[]; readonly sort?: SortField; readonly reason: string }
  >
> = {
  inventory_age: {
    filters: ['inventory_age_min_days', 'inventory_age_max_days', 'history_report_status', 'certification_type'],
    sort: 'inventory_age_days',
    reason: 'used_vehicle_facts_not_published',
  },
  odometer: { filters: ['odometer_min', 'odometer_max'], sort: 'odometer', reason: 'odometer_withheld' },
  stock_number: { filters: ['stock_number'], reason: 'stock_number_withheld' },
};

/**
 * What a schema cannot say. A filter or sort on what no searched rooftop publishes is refused, not ignored: ignoring it would
 * pass off every unit as a match, and finding nothing as none (DAP-UV-028).
 * @param publishedCurrencies those of the prices that the searched rooftops publish now.
 * @throws Failure `capability.unsupported` or `input.invalid` with every violation.
 */
export function checkSearchRequest(
  request: SearchRequest,
  scope: Pick<SearchScope, 'currencies' | 'unpublished'>,
  publishedCurrencies: ReadonlySet<string>,
): void {
  const { filters = {}, sort } = request;
  for (const field of scope.unpublished) {
    const readers = READERS[field];
    if (readers === undefined) continue;
    const sorts = sort !== undefined && sort.field === readers.sort;
    if (sorts || readers.filters.some((name) => filters[name] !== undefined))
      throw new Failure('capability.unsupported', { auditReason: readers.reason });
  }
  const isUsed = (currency: string): boolean => scope.currencies.has(currency) || publishedCurrencies.has(currency);
  const violations = [
    ...rangeViolations(filters),
    ...currencyViolations(filters, isUsed),
    ...sortViolations(request, publishedCurrencies),
  ];
  if (violations.length > 0) throw new Failure('input.invalid', { violations });
}

/** A range that holds nothing is a mistake of the caller, not an empty page. */
function* rangeViolations(filters: Filters): Iterable<Violation> {
  const { price_min, price_max, odometer_min, odometer_max } = filters;
  const isOneCurrency = price_min?.currency === price_max?.currency;
  const ranges = [
    ['year_max', filters.year_min, filters.year_max],
    ['price_max/amount_minor', isOneCurrency ? price_min?.amount_minor : undefined, price_max?.amount_minor],
    ['odometer_max/value', lengthOf(odometer_min), lengthOf(odometer_max)],
    ['inventory_age_max_days', filters.inventory_age_min_days, filters.inventory_age_max_days],
  ] as const;
  for (const [member, min, max] of ranges) {
    if (min === undefined || max === undefined || min <= max) continue;
    const lower = (member.split('/')[0] as string).replace('max', 'min');
    yield { pointer: `/filters/${member}`, keyword: 'minimum', explanation: `must not be below ${lower}` };
  }
}

function lengthOf(distance: Filters['odometer_min']): number | undefined {
  return distance === undefined ? undefined : millimetresOf(distance.value, distance.unit);
}

/** Amounts of different currencies cannot be compared: a currency that no searched rooftop uses is an error, not an empty page. */
function* currencyViolations(filters: Filters, isUsed: (currency: string) => boolean): Iterable<Violation> {
  for (const name of ['price_min', 'price_max'] as const) {
    const money = filters[name];
    if (money !== undefined && !isUsed(money.currency))
      yield {
        pointer: `/filters/${name}/currency`,
        keyword: 'enum',
        explanation: 'must be the currency of a rooftop that is searched',
      };
  }
  const { price_min, price_max } = filters;
  if (price_min !== undefined && price_max !== undefined && price_min.currency !== price_max.currency)
    yield {
      pointer: '/filters/price_max/currency',
      keyword: 'const',
      explanation: 'must be the currency of price_min',
    };
}

/** Nor can they be sorted. A price filter leaves one currency. */
function* sortViolations({ sort, filters }: SearchRequest, published: ReadonlySet<string>): Iterable<Violation> {
  if (sort?.field !== 'advertised_price' || published.size < 2) return;
  if (filters?.price_min !== undefined || filters?.price_max !== undefined) return;
  yield {
    pointer: '/sort/field',
    keyword: 'dependentRequired',
    explanation: 'prices are in several currencies: add price_min or price_max, or name rooftops of one currency',
  };
}
