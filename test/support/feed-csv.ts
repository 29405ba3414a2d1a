const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const VALUES = new Map(
  Array.from('ABCDEFGHJKLMNPRSTUVWXYZ', (letter, i) => [letter, Number('12345678123457923456789'[i])]),
);

/** A VIN with a right check digit, different for every number. */
export function vinOf(number: number): string {
  const draft = `1HGCM826_3A${String(number).padStart(6, '0')}`;
  const values = Array.from(draft, (c) => VALUES.get(c) ?? (c === '_' ? 0 : Number(c)));
  const sum = values.reduce((total, value, i) => total + value * (WEIGHTS[i] ?? 0), 0);
  return draft.replace('_', sum % 11 === 10 ? 'X' : String(sum % 11));
}

export interface CsvCar {
  readonly vin?: string;
  readonly stock?: string;
  readonly year?: string;
  readonly price?: string;
  readonly dealer?: string;
  readonly series?: string;
}

export const HEADER =
  'DealerId,VIN,Stock #,New/Used,Year,Make,Model,Series,Odometer,MSRP,Price,Photo Url List,Vehicle Detail Link';

/** A line of a vAuto export. */
export function carLine(number: number, car: CsvCar = {}): string {
  const {
    vin = vinOf(number),
    stock = `S${number}`,
    year = '2023',
    price = String(20_000 + number),
    dealer = 'NORTH',
    series = 'EX-L',
  } = car;
  return `${dealer},${vin},${stock},U,${year},Honda,Accord,${series},${1000 + number},,${price},https://img.example/${number}.jpg,https://cars.example/${number}`;
}

/** A file with the given cars; numbers stand for sound ones. */
export function csvOf(cars: readonly (number | string)[]): string {
  return `${[HEADER, ...cars.map((car) => (typeof car === 'number' ? carLine(car) : car))].join('\n')}\n`;
}

/** Whole numbers from `from` to `to`, both included. */
export const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
