import { rfc3339 } from '../kernel/time.js';
import { CATALOGUE, COLOURS, FEATURES, INTERIORS } from './model-catalogue.js';
import { SeededRandom } from './random.js';
import type { UsedFactCells } from './used-facts-generator.js';
import { USED_FACT_COLUMNS, usedFactCells } from './used-facts-generator.js';

/** Which inventory to make. The same options give the same bytes. */
export interface GeneratorOptions {
  readonly organizationId: string;
  readonly rooftopId: string;
  /** Distinguishes rooftops; VINs of different numbers never meet. */
  readonly rooftopNumber: number;
  readonly units: number;
  /** Milliseconds: newest observation in the file. */
  readonly observedAt: number;
  /** Units at the end of the file that nobody has looked at for three days. */
  readonly longUnseen?: number;
  /** Share of rows with a defect that must be quarantined. */
  readonly badRowShare: number;
  /** Whether used units come with histories, titles, reports and certificates. */
  readonly usedFacts?: boolean;
}

const COLUMNS = [
  'organization_id',
  'rooftop_id',
  'vin',
  'stock_number',
  'year',
  'make',
  'model',
  'trim',
  'condition',
  'vehicle_type',
  'body_style',
  'exterior_color',
  'interior_color',
  'listing_url',
  'observed_at',
  'advertised_price_minor',
  'currency',
  'required_dealer_charges_json',
  'conditional_adjustments_json',
  'government_charges_status',
  'availability_status',
  'odometer_value',
  'odometer_unit',
  'stocked_at',
  'certification_type',
  'image_urls_json',
  'features_json',
] as const;
type Row = Record<(typeof COLUMNS)[number], string | number> & Partial<UsedFactCells>;

const DAY_MS = 86_400_000;

/** Writes one rooftop's inventory as dealer-agent-inventory-csv/0.1, a chunk of lines at a time. */
export function* generateInventory(options: GeneratorOptions): Iterable<string> {
  const random = new SeededRandom(options.rooftopNumber + 1);
  const columns = [...COLUMNS, ...(options.usedFacts === true ? USED_FACT_COLUMNS : [])];
  let chunk = `${columns.join(',')}\n`;
  for (let i = 0; i < options.units; i++) {
    const row = makeRow(options, random, i);
    if (options.usedFacts === true) Object.assign(row, factsOf(options, row, i));
    if (random.chance(options.badRowShare)) spoil(row, random);
    chunk += `${columns.map((name) => cell(row[name] ?? '')).join(',')}\n`;
    if (chunk.length > 65_536) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

function makeRow(options: GeneratorOptions, random: SeededRandom, index: number): Row {
  const car = random.pick(CATALOGUE);
  const draw = random.next();
  const condition = draw < 0.3 ? 'new' : draw < 0.42 ? 'certified' : 'used';
  const newest = new Date(options.observedAt).getUTCFullYear() + 1;
  const age = condition === 'new' ? random.between(0, 1) : random.between(1, condition === 'certified' ? 5 : 11);
  const year = newest - age;
  const vin = makeVin(car.wmi, year, options.rooftopNumber, index);
  const stock = `${condition.charAt(0).toUpperCase()}${options.rooftopNumber}-${String(index + 1).padStart(5, '0')}`;
  const odometer = condition === 'new' ? random.between(3, 60) : age * random.between(7000, 14_000);
  const price = Math.max(
    3500,
    Math.round((car.price * (1 + 0.3 * random.next()) * 0.87 ** (condition === 'new' ? 0 : age)) / 100) * 100 - 5,
  );
  const seenAt = lastSeenAt(options, index);
  const photos = Array.from({ length: random.between(0, 12) }, (_, p) => `https://photos.example/${vin}/${p + 1}.jpg`);
  return {
    organization_id: options.organizationId,
    rooftop_id: options.rooftopId,
    vin,
    stock_number: stock,
    year,
    make: car.make,
    model: car.model,
    trim: random.pick(car.trims),
    condition,
    vehicle_type: car.type,
    body_style: car.body,
    exterior_color: random.pick(COLOURS),
    interior_color: random.pick(INTERIORS),
    listing_url: `https://${options.rooftopId}.dealer.example/inventory/${stock.toLowerCase()}`,
    observed_at: rfc3339(Math.floor(seenAt / 1000) * 1000 - random.between(0, 3600) * 1000),
    ...priceCells(random, price, condition),
    availability_status:
      condition === 'new' && random.chance(0.15) ? 'in_transit' : random.chance(0.03) ? 'reserved' : 'available',
    odometer_value: odometer,
    odometer_unit: 'mi',
    stocked_at: rfc3339(Math.floor(seenAt / 1000) * 1000 - random.between(1, 120) * DAY_MS),
    certification_type: condition === 'certified' ? 'manufacturer_cpo' : condition === 'used' ? 'not_certified' : '',
    image_urls_json: JSON.stringify(photos),
    features_json: JSON.stringify(FEATURES.filter(() => random.chance(0.3))),
  };
}

const lastSeenAt = ({ units, longUnseen = 0, observedAt }: GeneratorOptions, index: number): number =>
  index < units - longUnseen ? observedAt : observedAt - 3 * DAY_MS;

function factsOf(options: GeneratorOptions, row: Row, index: number): UsedFactCells {
  return usedFactCells({
    seed: options.rooftopNumber * 1_000_000 + index + 1,
    vin: String(row.vin),
    make: String(row.make),
    condition: String(row.condition),
    odometer: Number(row.odometer_value),
    observedAt: lastSeenAt(options, index),
  });
}

/**
 * About two rows in a hundred have no price. Most rows list a fee, half of them inside the price; the others say nothing
 * about charges, so that their rooftop's settings do.
 */
function priceCells(
  random: SeededRandom,
  price: number,
  condition: string,
): Pick<
  Row,
  | 'advertised_price_minor'
  | 'currency'
  | 'required_dealer_charges_json'
  | 'conditional_adjustments_json'
  | 'government_charges_status'
> {
  const known = !random.chance(0.02);
  const fee = [
    {
      label: 'Documentation fee',
      amount_minor: 49_900,
      payee: 'dealer',
      included_in_advertised_price: random.chance(0.5),
    },
  ];
  const rebate = [
    {
      name: 'College graduate bonus',
      direction: 'discount',
      amount_minor: 40_000,
      eligibility: 'degree within the last two years, proof required',
      stacking: 'not with other bonuses of the maker',
    },
  ];
  return {
    advertised_price_minor: known ? price * 100 : '',
    currency: known ? 'USD' : '',
    required_dealer_charges_json: random.chance(0.7) ? JSON.stringify(fee) : '',
    conditional_adjustments_json: condition === 'new' && random.chance(0.3) ? JSON.stringify(rebate) : '[]',
    government_charges_status: 'unknown',
  };
}

/** Defects that real files have. */
function spoil(row: Row, random: SeededRandom): void {
  const defect = random.between(0, 5);
  if (defect === 0) row.vin = String(row.vin).slice(0, 16);
  else if (defect === 1) row.advertised_price_minor = '28995.50';
  else if (defect === 2) row.condition = 'pre-loved';
  else if (defect === 3) row.odometer_unit = 'leagues';
  else if (defect === 4) row.listing_url = String(row.listing_url).replace('https:', 'ftp:');
  else row.make = '';
}

const cell = (value: string | number): string => {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ';
const LETTER_VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9];
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const YEAR_CODES = 'ABCDEFGHJKLMNPRSTVWXY123456789';

/** A VIN of the right shape with the right check digit; rooftop and index make it unique up to 1,000 × 100,000. */
function makeVin(wmi: string, year: number, rooftop: number, index: number): string {
  const rooftopLetters = `${LETTERS.charAt(Math.floor(rooftop / 23) % 23)}${LETTERS.charAt(rooftop % 23)}`;
  const raw = `${wmi}${rooftopLetters}${LETTERS.charAt(Math.floor(rooftop / 529) % 23)}${LETTERS.charAt(Math.floor(index / 1_000_000) % 23)}A0${YEAR_CODES.charAt((year - 1980) % 30)}X${String(index % 1_000_000).padStart(6, '0')}`;
  const sum = WEIGHTS.reduce((total, weight, i) => total + weight * valueOf(raw.charAt(i)), 0);
  const digit = sum % 11 === 10 ? 'X' : String(sum % 11);
  return `${raw.slice(0, 8)}${digit}${raw.slice(9)}`;
}

const valueOf = (char: string): number =>
  /\d/.test(char) ? Number(char) : (LETTER_VALUES[LETTERS.indexOf(char)] ?? 0);
