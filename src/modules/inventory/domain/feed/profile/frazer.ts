import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** Frazer DMS upload: one store a file; `Style` is the trim and `Color 2` the interior. */
export const FRAZER: FeedProfile = {
  name: 'frazer',
  codecs: [{ kind: 'delimited' }],
  signatures: [
    ['Stock', 'VIN', 'Style', 'Retail Price', 'Internet Price', 'PhotoURLs'],
    ['Stock', 'VIN', 'Style', 'Color 2', 'Sales Comments'],
  ],
  columns: {
    vin: ['VIN'],
    stockNumber: ['Stock'],
    year: ['Year'],
    make: ['Make'],
    model: ['Model'],
    trim: ['Style'],
    condition: ['Vehicle Condition'],
    bodyStyle: ['Body Style'],
    exteriorColor: ['Color'],
    interiorColor: ['Color 2'],
    odometer: ['Mileage'],
    fuelType: ['Fuel Type'],
    drivetrain: ['Drive Train'],
    transmission: ['Transmission'],
    price: ['Internet Price', 'Retail Price'],
    listPrice: ['Retail Price'],
    images: ['PhotoURLs'],
    features: ['Features'],
    description: ['Sales Comments'],
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
