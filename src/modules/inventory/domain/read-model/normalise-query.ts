import { hash } from 'node:crypto';
import { CURSOR_HASH_BYTES } from '../../../../kernel/cursor/cursor-payload.js';
import type { KeysetPosition } from '../../../../kernel/cursor/keyset-position.js';
import { Failure } from '../../../../kernel/failure/failure.js';
import { LIMITS } from '../../../../kernel/limits.js';
import type { Money } from '../../../../kernel/money.js';
import type { CertificationType, HistoryReportStatus } from '../used-vehicle/used-vehicle-vocabulary.js';
import type { AvailabilityStatus, Condition, VehicleType } from '../vehicle-schema.js';
import { comparable, foldCase } from './comparable-text.js';
import { millimetresOf } from './distance.js';
import type { NormalisedFilters, NormalisedQuery, SearchSort } from './normalised-query.js';

interface Distance {
  readonly value: number;
  readonly unit: 'mi' | 'km';
}

/** The filters of a DAP searchRequest. */
export interface SearchFilters {
  readonly vehicle_type?: readonly VehicleType[];
  readonly make?: readonly string[];
  readonly model?: readonly string[];
  readonly condition?: readonly Condition[];
  readonly year_min?: number;
  readonly year_max?: number;
  readonly price_min?: Money;
  readonly price_max?: Money;
  readonly odometer_min?: Distance;
  readonly odometer_max?: Distance;
  readonly inventory_age_min_days?: number;
  readonly inventory_age_max_days?: number;
  readonly history_report_status?: readonly HistoryReportStatus[];
  readonly certification_type?: readonly CertificationType[];
  readonly availability?: readonly AvailabilityStatus[];
  readonly vin?: string;
  readonly stock_number?: string;
}

/** What a search needs of a DAP searchRequest (DAP §2.7) that passed its schema. */
export interface SearchRequest {
  readonly query?: string;
  readonly filters?: SearchFilters;
  readonly sort?: SearchSort;
  readonly page?: { readonly limit?: number };
}

/**
 * Brings a search into one spelling.
 * @param rooftopIds the rooftops the decision allowed, null for all of the organization.
 * @param after where the previous page ended, from an opened cursor.
 * @throws Failure input.invalid for a query of more words than LIMITS.searchTokens: ignoring words would find too much.
 */
export function normaliseQuery(
  request: SearchRequest,
  rooftopIds: readonly string[] | null,
  after?: KeysetPosition,
): NormalisedQuery {
  const rooftops = rooftopIds === null ? null : unique(rooftopIds);
  const tokens = tokensOf(request.query ?? '');
  const filters = filtersOf(request.filters ?? {});
  const sort = request.sort === undefined ? null : { field: request.sort.field, order: request.sort.order };
  return {
    rooftopIds: rooftops,
    tokens,
    filters,
    sort,
    limit: request.page?.limit ?? LIMITS.searchPageDefault.value,
    ...(after === undefined ? {} : { after }),
    canonical: JSON.stringify([rooftops, tokens, Object.values(filters), sort]),
  };
}

/** What a cursor is bound to of a query: 16 bytes over words, filters, sort, rooftops and page size (DAP §6.5). */
export function queryHash(query: Pick<NormalisedQuery, 'canonical' | 'limit'>): Buffer {
  return hash('sha256', `${query.limit} ${query.canonical}`, 'buffer').subarray(0, CURSOR_HASH_BYTES);
}

function tokensOf(query: string): readonly string[] {
  const tokens = unique(
    foldCase(query)
      .split(/\s+/u)
      .filter((word) => word !== ''),
  );
  const max = LIMITS.searchTokens.value;
  if (tokens.length <= max) return tokens;
  const explanation = `has more than ${max} different words`;
  throw new Failure('input.invalid', { violations: [{ pointer: '/query', keyword: 'maxItems', explanation }] });
}

function filtersOf(filters: SearchFilters): NormalisedFilters {
  return {
    vehicleTypes: unique(filters.vehicle_type ?? []),
    makes: unique((filters.make ?? []).map(comparable)),
    models: unique((filters.model ?? []).map(comparable)),
    conditions: unique(filters.condition ?? []),
    availability: unique(filters.availability ?? []),
    historyReportStatuses: unique(filters.history_report_status ?? []),
    certificationTypes: unique(filters.certification_type ?? []),
    yearMin: filters.year_min ?? null,
    yearMax: filters.year_max ?? null,
    priceMin: moneyOf(filters.price_min),
    priceMax: moneyOf(filters.price_max),
    odometerMin: lengthOf(filters.odometer_min),
    odometerMax: lengthOf(filters.odometer_max),
    ageMinDays: filters.inventory_age_min_days ?? null,
    ageMaxDays: filters.inventory_age_max_days ?? null,
    vin: filters.vin ?? null,
    stockNumber: filters.stock_number ?? null,
  };
}

/** Members in one order, whatever order the request had. */
function moneyOf(money: Money | undefined): Money | null {
  return money === undefined ? null : { amount_minor: money.amount_minor, currency: money.currency };
}

function lengthOf(distance: Distance | undefined): number | null {
  return distance === undefined ? null : millimetresOf(distance.value, distance.unit);
}

function unique<T extends string>(values: readonly T[]): readonly T[] {
  return values.length < 2 ? values : [...new Set(values)].sort();
}
