import { describe, expect, it } from 'vitest';
import { compileValidator } from '../kernel/schema/validator.js';
import { SearchRequest } from './search-request.js';

const validate = compileValidator(SearchRequest);
const ORGANIZATION = { organization_id: 'org.a' };

describe('The schema of a search', () => {
  it.each([
    {},
    { rooftop_ids: ['a'] },
    { filters: { make: [], year_min: 1886, year_max: 2200, price_min: { amount_minor: 0, currency: 'USD' } } },
    {
      filters: {
        inventory_age_min_days: 0,
        history_report_status: ['conflicting'],
        certification_type: ['manufacturer_cpo'],
        availability: ['on_hold'],
      },
    },
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
    { filters: { inventory_age_min_days: -1 } },
    { filters: { inventory_age_max_days: 1.5 } },
    { filters: { history_report_status: ['clean'] } },
    { filters: { certification_type: ['cpo'] } },
    { filters: { availability: ['sold'] } },
    { filters: { drivetrain: ['awd'] } },
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
