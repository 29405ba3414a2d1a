import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

const IMAGE_COLUMNS = Array.from({ length: 30 }, (_, i) => `image[${String(i)}].url`);

/**
 * Meta automotive inventory, CSV or TSV with flattened JSON paths. `condition` is wear and is not read; `price` is the
 * regular price, so a sale price above it contradicts itself.
 */
export const META_VEHICLES: FeedProfile = {
  name: 'meta-vehicles',
  codecs: [{ kind: 'delimited' }],
  signatures: [['vehicle_id', 'vin', 'state_of_vehicle']],
  columns: {
    dealerKey: ['dealer_id'],
    vin: ['vin'],
    stockNumber: ['vehicle_id'],
    year: ['year'],
    make: ['make'],
    model: ['model'],
    trim: ['trim'],
    condition: ['state_of_vehicle'],
    bodyStyle: ['body_style'],
    exteriorColor: ['exterior_color'],
    interiorColor: ['interior_color'],
    odometer: ['mileage.value'],
    odometerUnit: ['mileage.unit'],
    fuelType: ['fuel_type'],
    drivetrain: ['drivetrain'],
    transmission: ['transmission'],
    price: ['sale_price', 'price'],
    listPrice: ['price'],
    currency: ['currency'],
    status: ['availability'],
    listingUrl: ['url'],
    images: ['image', ...IMAGE_COLUMNS],
    description: ['description'],
    stockedAt: ['date_first_on_lot'],
  },
  required: ['vin', 'stockNumber', 'year', 'make', 'model', 'condition', 'price'],
  rules: {
    amounts: 'major',
    conditions: CONDITION_WORDS,
    statuses: STATUS_WORDS,
    emptyStatus: 'available',
    listPriceIsCeiling: true,
    odometerUnitMandatory: true,
    photoSeparators: ANY_PHOTO_SEPARATOR,
    featureSeparator: COMMA_LIST,
  },
};
