import { LIMITS } from '../../src/kernel/limits.js';
import type { SearchRequest } from '../../src/modules/inventory/domain/read-model/normalise-query.js';
import type { VisibleRooftops } from '../../src/modules/inventory/domain/read-model/vehicle-page.js';
import { CONDITIONS } from '../../src/modules/inventory/domain/vehicle-schema.js';
import type { Row } from './arbitrary-search.js';
import { NOW, SLA_SECONDS } from './arbitrary-search.js';

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[\s\p{P}]/gu, '');

/** Optimal string alignment by the textbook: the whole table of distances. */
function editsBetween(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j));
  const at = (i: number, j: number): number => table[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity;
      table[i]![j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped);
    }
  }
  return at(a.length, b.length);
}

/** Whether a word of a query matches a row, among the rows that are searched. */
function wordMatcher(searched: readonly Row[]): (row: Row, word: string) => boolean {
  const fold = (text: string): string => text.toLowerCase().replaceAll('ß', 'ss');
  const inName = (name: string, word: string): boolean =>
    bare(word) === '' ? fold(name).includes(word) : bare(name).includes(bare(word)) && bare(name) !== '';
  const exactly = (row: Row, raw: string): boolean => {
    const w = fold(raw);
    const anywhere = [row.trim ?? '', row.condition].some((text) => fold(text).includes(w));
    const named = [row.make, row.model].some((name) => inName(name, w));
    const inCodes = w.length >= 3 && [row.vin, row.stockNumber].some((text) => fold(text).includes(w));
    return anywhere || named || inCodes || w === String(row.year);
  };
  const spellable = (w: string): boolean => w.length >= 4 && !/\d/.test(w);
  const nearly = (row: Row, raw: string): boolean =>
    [row.make, row.model]
      .flatMap((name) => [bare(name), ...fold(name).split(/[\s\p{P}]+/u)])
      .some((word) => spellable(word) && editsBetween(bare(raw), word) === 1);
  return (row, raw) => {
    if (exactly(row, raw)) return true;
    const mistaken =
      spellable(bare(raw)) &&
      !searched.some((other) => exactly(other, raw)) &&
      !CONDITIONS.some((condition) => condition.includes(fold(raw)));
    return mistaken && nearly(row, raw);
  };
}

/** The same search, written for obviousness: strings and array methods, one condition a line. */
export function reference(rows: readonly Row[], request: SearchRequest, scope: readonly string[] | null): Row[] {
  const listed = (list: readonly unknown[] | undefined, value: unknown): boolean =>
    list === undefined || list.length === 0 || list.includes(value);
  const mm = (value: number, unit: string): number => value * (unit === 'mi' ? 1_609_344 : 1_000_000);
  const odometer = (row: Row): number | null =>
    row.odometerValue === null ? null : mm(row.odometerValue, row.odometerUnit ?? '');
  const wordMatches = wordMatcher(scope === null ? rows : rows.filter((row) => scope.includes(row.rooftopId)));
  const f = request.filters ?? {};
  const matches = (row: Row): boolean => {
    const mileage = odometer(row);
    return [
      scope === null || scope.includes(row.rooftopId),
      (request.query ?? '').split(/\s+/).every((w) => w === '' || wordMatches(row, w)),
      listed(f.vehicle_type, row.vehicleType),
      listed(f.make?.map(bare), bare(row.make)),
      listed(f.model?.map(bare), bare(row.model)),
      listed(f.condition, row.condition),
      listed(f.availability, row.availability),
      listed(f.history_report_status, row.used?.historyReportStatus),
      listed(f.certification_type, row.used?.certificationType),
      f.inventory_age_min_days === undefined || (row.used !== null && row.used.ageDays >= f.inventory_age_min_days),
      f.inventory_age_max_days === undefined || (row.used !== null && row.used.ageDays <= f.inventory_age_max_days),
      row.year >= (f.year_min ?? 0),
      row.year <= (f.year_max ?? 9999),
      f.price_min === undefined ||
        (f.price_min.currency === row.currency && row.priceMinor >= f.price_min.amount_minor),
      f.price_max === undefined ||
        (f.price_max.currency === row.currency && row.priceMinor <= f.price_max.amount_minor),
      f.odometer_min === undefined || (mileage !== null && mileage >= mm(f.odometer_min.value, f.odometer_min.unit)),
      f.odometer_max === undefined || (mileage !== null && mileage <= mm(f.odometer_max.value, f.odometer_max.unit)),
      f.vin === undefined || f.vin === row.vin,
      f.stock_number === undefined || f.stock_number === row.stockNumber,
    ].every(Boolean);
  };
  const keyOf = (row: Row): number | null => {
    const keys = {
      advertised_price: row.priceMinor,
      year: row.year,
      odometer: odometer(row),
      inventory_age_days: row.used?.ageDays ?? null,
      observed_at: row.observedAt,
    };
    return keys[request.sort?.field ?? 'year'];
  };
  const byIds = (a: Row, b: Row): number =>
    `${a.rooftopId} ${a.vehicleId}` < `${b.rooftopId} ${b.vehicleId}` ? -1 : 1;
  return rows.filter(matches).sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    if (request.sort === undefined || x === y) return byIds(a, b);
    if (x === null) return 1;
    if (y === null) return -1;
    return request.sort.order === 'asc' ? x - y : y - x;
  });
}

export function referenceFacet(rows: readonly Row[], valueOf: (row: Row) => string | number | null): unknown {
  const counts = new Map<string | number, number>();
  for (const value of rows.map(valueOf)) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, LIMITS.facetValues.value);
}

export const validUntil = (row: Row): number => row.observedAt + SLA_SECONDS[row.rooftopId] * 1000;

/** What leaves for a row: its head, its state, and the other rooftops with its VIN that the caller may see. */
export function documentOf(row: Row, rows: readonly Row[], visible: VisibleRooftops): unknown {
  const state = validUntil(row) >= NOW ? 'current' : 'stale';
  const others = rows.filter((other) => other.vin === row.vin && other.rooftopId !== row.rooftopId);
  const named = [...new Set(others.map((other) => other.rooftopId))].sort();
  const shown = named.filter((id) => visible === null || visible.includes(id));
  const document = JSON.parse(`${row.head.replace('"current"', `"${state}"`)}${state}"}}`) as object;
  if (shown.length === 0) return document;
  return { ...document, extensions: { 'org.forecourt.duplicate-vin': { other_rooftop_ids: shown } } };
}
