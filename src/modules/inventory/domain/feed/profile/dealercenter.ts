import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** DealerCenter file import and its manual template. Independent dealers: the mapping has no condition column, all used. */
export const DEALERCENTER: FeedProfile = {
  name: 'dealercenter',
  codecs: [{ kind: 'delimited' }],
  signatures: [
    ['DealerID', 'StockNumber', 'VIN', 'PhotoURLs', 'WebAdDescription'],
    ['Stock Number', 'VIN', 'Status', 'Primary Image', 'Additional Images'],
  ],
  columns: {
    dealerKey: ['DealerID'],
    vin: ['VIN'],
    stockNumber: ['StockNumber'],
    year: ['Year'],
    make: ['Make'],
    model: ['Model'],
    trim: ['Trim'],
    condition: ['Condition'],
    bodyStyle: ['Body Style', 'Body'],
    exteriorColor: ['Exterior Color'],
    interiorColor: ['InteriorColor'],
    odometer: ['Odometer', 'Mileage'],
    fuelType: ['FuelType'],
    transmission: ['Transmission'],
    price: ['Price', 'Retail Price'],
    listPrice: ['MSRP'],
    status: ['Status'],
    listingUrl: ['VDP'],
    images: ['PhotoURLs', 'Primary Image', 'Additional Images'],
    description: ['WebAdDescription', 'Description'],
    stockedAt: ['Date Added'],
  },
  required: ['vin', 'stockNumber', 'year', 'make', 'model', 'price'],
  rules: {
    amounts: 'major',
    conditions: CONDITION_WORDS,
    conditionAssumed: 'used',
    statuses: STATUS_WORDS,
    emptyStatus: 'available',
    photoSeparators: ANY_PHOTO_SEPARATOR,
    featureSeparator: COMMA_LIST,
  },
};
