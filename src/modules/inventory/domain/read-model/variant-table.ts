import { CONDITIONS, VEHICLE_TYPES } from '../vehicle-schema.js';
import type { SegmentRow } from './segment-row.js';
import { Vocabulary } from './vocabulary.js';

/** What many units have in common: everything that list filters and facets look at. */
export type Variant = Pick<SegmentRow, 'year' | 'make' | 'model' | 'condition' | 'vehicleType'>;

/** Columns over variants, made when no variant will be added any more. One type of array keeps loops over them fast. */
export interface VariantColumns {
  readonly year: Int32Array;
  /** Index into makes. */
  readonly make: Int32Array;
  /** Index into models. */
  readonly model: Int32Array;
  /** Index into CONDITIONS. */
  readonly condition: Int32Array;
  /** Index into VEHICLE_TYPES; -1 where the source gave none. */
  readonly vehicleType: Int32Array;
}

const YEARS = 4096;
const TYPES = VEHICLE_TYPES.length + 1;

/**
 * The distinct variants of a set of units. A hundred thousand units have some ten thousand variants, so conditions are
 * decided per variant and units only look the decision up.
 */
export class VariantTable {
  readonly makes = new Vocabulary();
  readonly models = new Vocabulary();
  /** Make and model together, as one string each. */
  private readonly lines = new Vocabulary();
  private readonly lineMake: number[] = [];
  private readonly lineModel: number[] = [];
  private readonly codes = new Map<number, number>();
  /** Line, year, condition and type of each variant, packed into one number. */
  private readonly packed: number[] = [];

  get size(): number {
    return this.packed.length;
  }

  /** The number of a variant, given now when it is new. */
  add({ year, make, model, condition, vehicleType }: Variant): number {
    const type = vehicleType === null ? -1 : VEHICLE_TYPES.indexOf(vehicleType);
    const look = (year * CONDITIONS.length + CONDITIONS.indexOf(condition)) * TYPES + type + 1;
    return this.addPacked(this.lineOf(make, model) * LOOKS + look);
  }

  /** Adds every variant of another table. @returns the number here of each of the other's variants. */
  addAll(other: VariantTable): Uint32Array {
    const lines = Uint32Array.from(other.lines.values, (text, line) => this.lineNamed(text, other, line));
    const codes = new Uint32Array(other.size);
    for (let variant = 0; variant < codes.length; variant++) {
      const packed = other.packed[variant] as number;
      codes[variant] = this.addPacked((lines[Math.floor(packed / LOOKS)] as number) * LOOKS + (packed % LOOKS));
    }
    return codes;
  }

  /** The variants in columns, by number. */
  columns(): VariantColumns {
    const column = (): Int32Array => new Int32Array(this.size);
    const columns = { year: column(), make: column(), model: column(), condition: column(), vehicleType: column() };
    for (let variant = 0; variant < this.size; variant++) {
      const packed = this.packed[variant] as number;
      const line = Math.floor(packed / LOOKS);
      const look = packed % LOOKS;
      columns.year[variant] = Math.floor(look / TYPES / CONDITIONS.length);
      columns.make[variant] = this.lineMake[line] as number;
      columns.model[variant] = this.lineModel[line] as number;
      columns.condition[variant] = Math.floor(look / TYPES) % CONDITIONS.length;
      columns.vehicleType[variant] = (look % TYPES) - 1;
    }
    return columns;
  }

  private addPacked(packed: number): number {
    const known = this.codes.get(packed);
    if (known !== undefined) return known;
    const code = this.packed.push(packed) - 1;
    this.codes.set(packed, code);
    return code;
  }

  /** Stored text never contains the separator. */
  private lineOf(make: string, model: string): number {
    const line = this.lines.add(`${make}\0${model}`);
    if (line === this.lineMake.length) this.nameLine(make, model);
    return line;
  }

  private lineNamed(text: string, other: VariantTable, line: number): number {
    const own = this.lines.add(text);
    if (own === this.lineMake.length) {
      const make = other.makes.values[other.lineMake[line] as number] as string;
      this.nameLine(make, other.models.values[other.lineModel[line] as number] as string);
    }
    return own;
  }

  private nameLine(make: string, model: string): void {
    this.lineMake.push(this.makes.add(make));
    this.lineModel.push(this.models.add(model));
  }
}

const LOOKS = YEARS * CONDITIONS.length * TYPES;
