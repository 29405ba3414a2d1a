import { describe, expect, it } from 'vitest';
import { Failure } from '../kernel/failure/failure.js';
import { checkSearchRequest } from './check-search-request.js';
import type { WithheldField } from '../modules/tenancy/index.js';
import type { SearchRequest } from './search-request.js';

interface Circumstances {
  readonly currencies?: readonly string[];
  readonly published?: readonly string[];
  readonly publishesUsedFacts?: boolean;
  readonly withheld?: readonly WithheldField[];
}

function problemsOf(request: object, circumstances: Circumstances = {}): string {
  const { currencies = ['USD'], published = currencies, publishesUsedFacts = false, withheld = [] } = circumstances;
  try {
    const unpublished = new Set<WithheldField>([
      ...withheld,
      ...(publishesUsedFacts ? [] : ['inventory_age' as const]),
    ]);
    const scope = { currencies: new Set(currencies), unpublished };
    checkSearchRequest(request as SearchRequest, scope, new Set(published));
    return 'none';
  } catch (error) {
    if (!(error instanceof Failure)) return String(error);
    return error.context.violations?.map((v) => `${v.pointer} ${v.keyword}`).join() ?? error.code;
  }
}

const usd = (amount_minor: number): object => ({ amount_minor, currency: 'USD' });
const cad = (amount_minor: number): object => ({ amount_minor, currency: 'CAD' });

describe('A range of a search', () => {
  it.each([
    { filters: undefined, problem: 'none' },
    { filters: { year_min: 2020, year_max: 2020, price_min: usd(1), price_max: usd(1) }, problem: 'none' },
    { filters: { year_min: 2021, year_max: 2020 }, problem: '/filters/year_max minimum' },
    { filters: { price_min: usd(2), price_max: usd(1) }, problem: '/filters/price_max/amount_minor minimum' },
    {
      filters: { odometer_min: { value: 15_625, unit: 'mi' }, odometer_max: { value: 25_146, unit: 'km' } },
      problem: 'none',
    },
    {
      filters: { odometer_min: { value: 15_625, unit: 'mi' }, odometer_max: { value: 25_145, unit: 'km' } },
      problem: '/filters/odometer_max/value minimum',
    },
  ])('holds something: $filters has the problem $problem', ({ filters, problem }) => {
    expect(problemsOf(filters === undefined ? {} : { filters })).toBe(problem);
  });

  it('is refused with everything else that is wrong', () => {
    const filters = { price_min: cad(9), price_max: usd(1), year_min: 3, year_max: 2 };
    expect(problemsOf({ filters })).toBe(
      '/filters/year_max minimum,/filters/price_min/currency enum,/filters/price_max/currency const',
    );
  });
});

describe('A currency of a search', () => {
  const filters = { price_max: cad(1) };

  it('is one that the searched rooftops sell in or publish prices in', () => {
    expect(problemsOf({ filters })).toBe('/filters/price_max/currency enum');
    expect(problemsOf({ filters }, { currencies: ['USD', 'CAD'] })).toBe('none');
    expect(problemsOf({ filters }, { currencies: ['USD'], published: ['CAD'] })).toBe('none');
    expect(problemsOf({ filters }, { currencies: ['CAD'], published: [] })).toBe('none');
  });

  it('is one for both ends', () => {
    const both = { price_min: usd(1), price_max: cad(2) };
    expect(problemsOf({ filters: both }, { currencies: ['USD', 'CAD'] })).toBe('/filters/price_max/currency const');
  });

  it('is needed to sort by price where prices are in several', () => {
    const sort = { field: 'advertised_price', order: 'asc' };
    expect(problemsOf({ sort })).toBe('none');
    expect(problemsOf({ sort }, { currencies: ['USD', 'CAD'], published: ['USD'] })).toBe('none');
    expect(problemsOf({ sort }, { currencies: ['USD', 'CAD'] })).toBe('/sort/field dependentRequired');
    expect(problemsOf({ sort, filters }, { currencies: ['USD', 'CAD'] })).toBe('none');
    expect(problemsOf({ sort: { ...sort, field: 'year' } }, { currencies: ['USD', 'CAD'] })).toBe('none');
  });
});

describe('What used-vehicle summaries say', () => {
  const requests = [
    { filters: { inventory_age_min_days: 0 } },
    { filters: { inventory_age_max_days: 1 } },
    { filters: { history_report_status: [] } },
    { filters: { certification_type: ['unknown'] } },
    { sort: { field: 'inventory_age_days', order: 'asc' } },
  ];

  it.each(requests)('cannot be asked for where no rooftop publishes any: %j', (request) => {
    expect(problemsOf(request)).toBe('capability.unsupported');
    expect(problemsOf(request, { publishesUsedFacts: true })).toBe('none');
  });

  it('has ranges, too', () => {
    const filters = { inventory_age_min_days: 2, inventory_age_max_days: 1 };
    expect(problemsOf({ filters }, { publishesUsedFacts: true })).toBe('/filters/inventory_age_max_days minimum');
  });
});

describe('A field that no searched rooftop publishes', () => {
  it.each([
    { withheld: 'odometer' as const, request: { filters: { odometer_min: { value: 1, unit: 'mi' } } } },
    { withheld: 'odometer' as const, request: { filters: { odometer_max: { value: 1, unit: 'km' } } } },
    { withheld: 'odometer' as const, request: { sort: { field: 'odometer', order: 'asc' } } },
    { withheld: 'stock_number' as const, request: { filters: { stock_number: 'A1' } } },
  ])('cannot be searched by: $withheld in $request', ({ withheld, request }) => {
    expect(problemsOf(request, { withheld: [withheld] })).toBe('capability.unsupported');
    expect(problemsOf(request)).toBe('none');
  });

  it('leaves every other search as it was', () => {
    const request = { filters: { year_min: 2020 }, sort: { field: 'year', order: 'asc' } };
    expect(problemsOf(request, { withheld: ['odometer', 'stock_number', 'media'] })).toBe('none');
  });
});
