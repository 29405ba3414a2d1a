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
  odometerStatus: 'odometerStatus',
  title: 'title',
  conditionReport: 'conditionReport',
  certification: 'certification',
  reconditioning: 'reconditioning',
};
const NONE: readonly number[] = [];
const ORDINALS = new Map(SOURCE_FIELDS.map((field, ordinal) => [field, ordinal]));
const NOT_TAKEN = -1;
/** Files have few shapes of rows; the latest are compared first. */
const RECENT_SHAPES = 8;

interface FieldColumns {
  readonly ordinal: number;
  readonly places: readonly number[];
}

interface Shape {
  readonly taken: Int16Array;
  readonly map: ColumnMap;
}

/**
 * The record under the reader's finger, by field names. One view serves a whole file; it remembers which column each value
 * was taken from, and gives records of one shape the same column map.
 */
export class RowView {
  private cells: readonly string[] = [];
  private readonly fields: ReadonlyMap<SourceField, FieldColumns>;
  private readonly taken = new Int16Array(SOURCE_FIELDS.length).fill(NOT_TAKEN);
  private readonly recent: Shape[] = [];
  private readonly shapes = new Map<string, Shape>();

  constructor(private readonly columns: BoundColumns) {
    this.fields = new Map(
      [...columns.places].map(([field, places]) => [field, { ordinal: ORDINALS.get(field) ?? 0, places }]),
    );
  }

  load(cells: readonly string[]): void {
    this.cells = cells;
    this.taken.fill(NOT_TAKEN);
  }

  /** Whether the file has a column for the field. */
  has(field: SourceField): boolean {
    return this.fields.has(field);
  }

  /** Places of a field's columns, best first. */
  places(field: SourceField): readonly number[] {
    return this.fields.get(field)?.places ?? NONE;
  }

  /** The trimmed text at a place. */
  cell(place: number): string {
    const cell = this.cells[place] ?? '';
    return isTrimmed(cell) ? cell : cell.trim();
  }

  /** The first column of a field that has content; '' when none has. */
  text(field: SourceField): string {
    const columns = this.fields.get(field);
    if (columns === undefined) return '';
    for (const place of columns.places) {
      const text = this.cell(place);
      if (text !== '') {
        this.taken[columns.ordinal] = place;
        return text;
      }
    }
    return '';
  }

  /** Notes that a field's value came from a column. */
  take(field: SourceField, place: number): void {
    this.taken[ORDINALS.get(field) ?? 0] = place;
  }

  /** The value of a field was not used after all. */
  drop(field: SourceField): void {
    this.taken[ORDINALS.get(field) ?? 0] = NOT_TAKEN;
  }

  /** The header of the column a field was taken from, else of its best column. */
  column(field: SourceField): string | undefined {
    const taken = this.taken[ORDINALS.get(field) ?? 0] ?? NOT_TAKEN;
    const place = taken === NOT_TAKEN ? this.places(field)[0] : taken;
    return place === undefined ? undefined : this.columns.names[place];
  }

  columnMap(): ColumnMap {
    const known = this.recent.find((shape) => sameWords(shape.taken, this.taken));
    return (known ?? this.remember()).map;
  }

  private remember(): Shape {
    const key = this.taken.join();
    const shape = this.shapes.get(key) ?? { taken: this.taken.slice(), map: this.buildMap() };
    this.shapes.set(key, shape);
    this.recent.unshift(shape);
    this.recent.length = Math.min(this.recent.length, RECENT_SHAPES);
    return shape;
  }

  private buildMap(): ColumnMap {
    const map: Partial<Record<UnitField, string>> = {};
    SOURCE_FIELDS.forEach((field, ordinal) => {
      const place = this.taken[ordinal] ?? NOT_TAKEN;
      const member = UNIT_FIELDS[field];
      const name = place === NOT_TAKEN ? undefined : this.columns.names[place];
      if (member !== undefined && name !== undefined) map[member] ??= name;
    });
    if (map.dealerKey !== undefined) map.rooftopId = map.dealerKey;
    if (map.stockedAt !== undefined) map.stockedAtPrecision = map.stockedAt;
    return Object.freeze(map);
  }
}

function sameWords(a: Int16Array, b: Int16Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Most cells need no trimming, and asking is cheaper than doing it. */
function isTrimmed(cell: string): boolean {
  const first = cell.charCodeAt(0);
  const last = cell.charCodeAt(cell.length - 1);
  return cell === '' || (first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f);
}
