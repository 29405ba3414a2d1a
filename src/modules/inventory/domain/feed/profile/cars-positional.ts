import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/**
 * Cars.com and AutoTrader files of a US dealer tool: no header, comma with quotes or pipe without. There is no condition
 * column; the settings must say what an empty condition means.
 */
export const CARS_POSITIONAL: FeedProfile = {
  name: 'cars-positional',
  codecs: [
    {
      kind: 'positional',
      delimiters: [
        { delimiter: '|', quoting: false },
        { delimiter: ',', quoting: true },
      ],
      columns: [
        ...['DealerId', 'Stock', 'Year', 'Make', 'Model', 'Trim', 'VIN', 'Mileage', 'Price', 'ExteriorColor'],
        ...['InteriorColor', 'Transmission', 'ImageFlag', 'Description', 'Body', 'Engine', 'Drive', 'Fuel', 'Options'],
        ...['ImageUrls', 'VideoUrl', 'VideoSource'],
      ],
    },
  ],
  signatures: [],
  columns: {
    dealerKey: ['DealerId'],
    vin: ['VIN'],
    stockNumber: ['Stock'],
    year: ['Year'],
    make: ['Make'],
    model: ['Model'],
    trim: ['Trim'],
    bodyStyle: ['Body'],
    exteriorColor: ['ExteriorColor'],
    interiorColor: ['InteriorColor'],
    odometer: ['Mileage'],
    fuelType: ['Fuel'],
    drivetrain: ['Drive'],
    transmission: ['Transmission'],
    price: ['Price'],
    images: ['ImageUrls'],
    features: ['Options'],
    description: ['Description'],
  },
  required: [],
  rules: {
    amounts: 'major',
    conditions: CONDITION_WORDS,
    statuses: STATUS_WORDS,
    emptyStatus: 'available',
    photoSeparators: ANY_PHOTO_SEPARATOR,
    featureSeparator: COMMA_LIST,
  },
};
