import type { ListedUnit, UnitField } from '../../listed-unit.js';
import type { BoundColumns } from '../bind-columns.js';
import type { SourceField } from '../profile/feed-profile.js';
import { SOURCE_FIELDS } from '../profile/feed-profile.js';
import type { ColumnMap } from '../row-outcome.js';

/** Which member of a unit a field feeds. */
const UNIT_FIELDS: Readonly<Partial<Record<SourceField, keyof ListedUnit>>> = {
  dealerKey: 'dealerKey',
  vin: 'vin',
  stockNumber: 'stockNumber',
  year: 'year',
  make: 'make',
  model: 'model',
  trim: 'trim',
  condition: 'condition',
  certificationType: 'certificationType',
  vehicleType: 'vehicleType',
  bodyStyle: 'bodyStyle',
  exteriorColor: 'exteriorColor',
  interiorColor: 'interiorColor',
  odometer: 'odometer',
  fuelType: 'fuelType',
  drivetrain: 'drivetrain',
  transmission: 'transmission',
  price: 'advertisedPrice',
  listPrice: 'listPrice',
  charges: 'requiredCharges',
  adjustments: 'conditionalAdjustments',
  offers: 'conditionalAdjustments',
  governmentCharges: 'governmentChargesStatus',
  status: 'availability',
  listingUrl: 'listingUrl',
  images: 'imageUrls',
  features: 'features',
  description: 'description',
  observedAt: 'observedAt',
  stockedAt: 'stockedAt',
  firstListedAt: 'firstListedAt',
  historyReports: 'historyReports',
  carfaxUrl: 'historyReports',
  autocheckUrl: 'historyReports',
};
const NONE: readonly number[] = [];

/**
 * The record under the reader's finger, by field names. One view serves a whole file; it remembers which column each value
 * was taken from, and gives records of one shape the same column map.
 */
export class RowView {
  private cells: readonly string[] = [];
  private readonly taken = new Map<SourceField, number>();
  private readonly maps = new Map<string, ColumnMap>();

  constructor(private readonly columns: BoundColumns) {}

  load(cells: readonly string[]): void {
    this.cells = cells;
    this.taken.clear();
  }

  /** Whether the file has a column for the field. */
  has(field: SourceField): boolean {
    return this.columns.places.has(field);
  }

  /** Places of a field's columns, best first. */
  places(field: SourceField): readonly number[] {
    return this.columns.places.get(field) ?? NONE;
  }

  /** The trimmed text at a place. */
  cell(place: number): string {
    const cell = this.cells[place] ?? '';
    return isTrimmed(cell) ? cell : cell.trim();
  }

  /** The first column of a field that has content; '' when none has. */
  text(field: SourceField): string {
    for (const place of this.places(field)) {
      const text = this.cell(place);
      if (text !== '') {
        this.taken.set(field, place);
        return text;
      }
    }
    return '';
  }

  /** Notes that a field's value came from a column. */
  take(field: SourceField, place: number): void {
    this.taken.set(field, place);
  }

  /** The value of a field was not used after all. */
  drop(field: SourceField): void {
    this.taken.delete(field);
  }

  /** The header of the column a field was taken from, else of its best column. */
  column(field: SourceField): string | undefined {
    const place = this.taken.get(field) ?? this.places(field)[0];
    return place === undefined ? undefined : this.columns.names[place];
  }

  columnMap(): ColumnMap {
    let key = '';
    for (const [field, place] of this.taken) key += `${field}${String(place)},`;
    let map = this.maps.get(key);
    if (map === undefined) {
      map = this.buildMap();
      this.maps.set(key, map);
    }
    return map;
  }

  private buildMap(): ColumnMap {
    const map: Partial<Record<UnitField, string>> = {};
    for (const field of SOURCE_FIELDS) {
      const place = this.taken.get(field);
      const member = UNIT_FIELDS[field];
      const name = place === undefined ? undefined : this.columns.names[place];
      if (member !== undefined && name !== undefined) map[member] ??= name;
    }
    if (map.dealerKey !== undefined) map.rooftopId = map.dealerKey;
    if (map.stockedAt !== undefined) map.stockedAtPrecision = map.stockedAt;
    return Object.freeze(map);
  }
}

/** Most cells need no trimming, and asking is cheaper than doing it. */
function isTrimmed(cell: string): boolean {
  const [first, last] = [cell.charCodeAt(0), cell.charCodeAt(cell.length - 1)];
  return cell === '' || (first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f);
}
