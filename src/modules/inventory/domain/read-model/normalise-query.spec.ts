import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../kernel/failure/failure.js';
import { LIMITS } from '../../../../kernel/limits.js';
import type { SearchRequest } from './normalise-query.js';
import { normaliseQuery, queryHash } from './normalise-query.js';

const canonical = (request: SearchRequest, scope: readonly string[] | null = null): string =>
  normaliseQuery(request, scope).canonical;
const usd = (amount_minor: number): { amount_minor: number; currency: string } => ({ amount_minor, currency: 'USD' });

describe('normaliseQuery', () => {
  it('gives one canonical string to searches that mean the same', () => {
    const one = canonical(
      { query: ' Honda  ACCORD', filters: { make: ['Mercedes-Benz', 'ford'], condition: ['used', 'new'], model: [] } },
      ['roof.b', 'roof.a'],
    );
    const other = canonical(
      { query: 'accord honda accord', filters: { condition: ['new', 'used'], make: ['FORD', 'mercedes benz'] } },
      ['roof.a', 'roof.b', 'roof.a'],
    );
    expect(one).toBe(other);
    expect(canonical({ filters: { odometer_max: { value: 15_625, unit: 'mi' } } })).toBe(
      canonical({ filters: { odometer_max: { value: 25_146, unit: 'km' } } }),
    );
  });

  it('gives different strings to searches that differ in anything that decides the result', () => {
    const requests: SearchRequest[] = [
      {},
      { query: 'honda' },
      { query: 'honda accord' },
      { filters: { make: ['honda'] } },
      { filters: { model: ['honda'] } },
      { filters: { vin: 'honda' } },
      { filters: { stock_number: 'honda' } },
      { filters: { year_min: 2020 } },
      { filters: { year_max: 2020 } },
      { filters: { price_min: usd(1) } },
      { filters: { price_max: usd(1) } },
      { filters: { price_max: { amount_minor: 1, currency: 'CAD' } } },
      { filters: { odometer_min: { value: 1, unit: 'km' } } },
      { filters: { odometer_max: { value: 1, unit: 'km' } } },
      { filters: { availability: ['available'] } },
      { filters: { history_report_status: ['unknown'] } },
      { filters: { certification_type: ['unknown'] } },
      { filters: { inventory_age_min_days: 30 } },
      { filters: { inventory_age_max_days: 30 } },
      { filters: { vehicle_type: ['car'] } },
      { filters: { condition: ['used'] } },
      { sort: { field: 'year', order: 'asc' } },
      { sort: { field: 'year', order: 'desc' } },
    ];
    const strings = [...requests.map((request) => canonical(request)), canonical({}, []), canonical({}, ['roof.a'])];
    expect(new Set(strings).size).toBe(strings.length);
  });

  it('does not depend on the order of members in the request', () => {
    const one = canonical({ filters: { price_min: { amount_minor: 1, currency: 'USD' } } });
    expect(canonical({ filters: { price_min: { currency: 'USD', amount_minor: 1 } } })).toBe(one);
  });

  it('refuses more words than are evaluated, instead of ignoring some', () => {
    const words = Array.from({ length: LIMITS.searchTokens.value + 1 }, (_, i) => `w${i}`);
    expect(normaliseQuery({ query: words.slice(1).join(' ') }, null).tokens).toHaveLength(LIMITS.searchTokens.value);
    expect(() => normaliseQuery({ query: words.join(' ') }, null)).toThrow(Failure);
    expect(normaliseQuery({ query: 'same '.repeat(50) }, null).tokens).toEqual(['same']);
  });

  it('does not take a distance that no number holds for no limit', () => {
    const endless = canonical({ filters: { odometer_min: { value: 1e308, unit: 'mi' } } });
    expect(endless).not.toBe(canonical({}));
  });

  it('takes the default page size when none is asked for', () => {
    expect(normaliseQuery({}, null).limit).toBe(LIMITS.searchPageDefault.value);
  });
});

describe('queryHash', () => {
  it('has 16 bytes and depends on the search and the page size, not on where the page starts', () => {
    const request: SearchRequest = { query: 'honda', page: { limit: 10 } };
    const hash = queryHash(normaliseQuery(request, null));
    const after = { key: null, rooftopId: 'roof.a', vehicleId: 'veh.1' };
    expect(hash).toHaveLength(16);
    expect(queryHash(normaliseQuery(request, null, after)).equals(hash)).toBe(true);
    expect(queryHash(normaliseQuery({ ...request, page: { limit: 11 } }, null)).equals(hash)).toBe(false);
    expect(queryHash(normaliseQuery({ ...request, query: 'ford' }, null)).equals(hash)).toBe(false);
  });
});
