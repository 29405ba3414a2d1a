import { describe, expect, it } from 'vitest';
import { Failure } from '../kernel/failure/failure.js';
import { compileValidator } from '../kernel/schema/validator.js';
import { checkSearchRequest, SearchRequest } from './search-request.js';

const validate = compileValidator(SearchRequest);
const ORGANIZATION = { organization_id: 'org.a' };

function problemsOf(request: object, currencies = ['USD']): string {
  try {
    checkSearchRequest(request as SearchRequest, new Set(currencies));
    return 'none';
  } catch (error) {
    if (!(error instanceof Failure)) return String(error);
    return error.context.violations?.map((v) => `${v.pointer} ${v.keyword}`).join() ?? error.code;
  }
}

describe('The schema of a search', () => {
  it.each([
    {},
    { rooftop_ids: ['a'] },
    { filters: { make: [], year_min: 1886, year_max: 2200, price_min: { amount_minor: 0, currency: 'USD' } } },
    { page: { limit: 100, cursor: 'x' }, sort: { field: 'year', order: 'asc' } },
  ])('takes %j', (more) => {
    expect(validate({ ...ORGANIZATION, ...more })).toEqual([]);
  });

  it.each([
    { rooftop_ids: [] },
    { rooftop_ids: ['a', 'a'] },
    { query: '' },
    { query: 'x'.repeat(501) },
    { filters: { year_min: 1885 } },
    { filters: { price_min: { amount_minor: -1, currency: 'USD' } } },
    { filters: { price_min: { amount_minor: 1.5, currency: 'USD' } } },
    { filters: { price_min: 20_000 } },
    { filters: { odometer_max: { value: 1, unit: 'miles' } } },
    { filters: { vin: '1hgcm82633a004352' } },
    { filters: { make: Array.from({ length: 51 }, (_, i) => `m${i}`) } },
    { sort: { field: 'price', order: 'asc' } },
    { sort: { field: 'year' } },
    { page: { limit: 0 } },
    { page: { limit: 101 } },
    { page: { cursor: '' } },
    { unknown: 1 },
  ])('refuses %j', (more) => {
    expect(validate({ ...ORGANIZATION, ...more })).toHaveLength(1);
  });
});

describe('What a schema cannot say about a search', () => {
  const usd = (amount_minor: number): object => ({ amount_minor, currency: 'USD' });

  it.each([
    { request: {}, problem: 'none' },
    { request: { filters: { year_min: 2020, year_max: 2020, price_min: usd(1), price_max: usd(1) } }, problem: 'none' },
    { request: { filters: { year_min: 2021, year_max: 2020 } }, problem: '/filters/year_max minimum' },
    {
      request: { filters: { price_min: usd(2), price_max: usd(1) } },
      problem: '/filters/price_max/amount_minor minimum',
    },
    {
      request: { filters: { price_max: { amount_minor: 1, currency: 'CAD' } } },
      problem: '/filters/price_max/currency enum',
    },
    {
      request: {
        filters: { price_min: { amount_minor: 9, currency: 'CAD' }, price_max: usd(1), year_min: 3, year_max: 2 },
      },
      problem: '/filters/year_max minimum,/filters/price_min/currency enum',
    },
    { request: { filters: { inventory_age_min_days: 0 } }, problem: 'capability.unsupported' },
    { request: { filters: { inventory_age_max_days: 1 } }, problem: 'capability.unsupported' },
    { request: { filters: { history_report_status: [] } }, problem: 'capability.unsupported' },
    { request: { filters: { certification_type: ['unknown'] } }, problem: 'capability.unsupported' },
    { request: { sort: { field: 'inventory_age_days', order: 'asc' } }, problem: 'capability.unsupported' },
  ])('is checked beside it: $request has the problem $problem', ({ request, problem }) => {
    expect(problemsOf(request)).toBe(problem);
  });

  it('is a matter of the rooftops that are searched', () => {
    const request = { filters: { price_max: { amount_minor: 1, currency: 'CAD' } } };
    expect(problemsOf(request, ['USD', 'CAD'])).toBe('none');
  });
});
