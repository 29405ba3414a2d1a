import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** Oodle vehicle feed, CSV, TSV or XML. The listing id stands in for a stock number. */
export const OODLE: FeedProfile = {
  name: 'oodle',
  codecs: [{ kind: 'delimited' }, { kind: 'xml', records: ['listing', 'ad', 'item'] }],
  signatures: [['id', 'vin', 'create_time', 'body_type']],
  columns: {
    dealerKey: ['seller_id', 'dealer_id'],
    vin: ['vin'],
    stockNumber: ['stock_number', 'id'],
    year: ['year'],
    make: ['make'],
    model: ['model'],
    trim: ['trim'],
    condition: ['condition'],
    bodyStyle: ['body_type'],
    exteriorColor: ['exterior_color', 'color'],
    interiorColor: ['interior_color'],
    odometer: ['mileage'],
    odometerUnit: ['mileage_units'],
    fuelType: ['fuel'],
    drivetrain: ['drive_train'],
    transmission: ['transmission'],
    price: ['price'],
    currency: ['currency'],
    listingUrl: ['url'],
    images: ['image_url', 'images'],
    features: ['features'],
    description: ['description'],
    firstListedAt: ['create_time'],
  },
  required: ['vin', 'stockNumber', 'year', 'make', 'model', 'condition', 'price'],
  rules: {
    amounts: 'major',
    conditions: CONDITION_WORDS,
    statuses: STATUS_WORDS,
    emptyStatus: 'available',
    photoSeparators: ANY_PHOTO_SEPARATOR,
    featureSeparator: COMMA_LIST,
  },
};
