import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** AutoFunds export, short and long form. Signed query strings of photos are kept. */
export const AUTOFUNDS: FeedProfile = {
  name: 'autofunds',
  codecs: [{ kind: 'delimited' }],
  signatures: [
    ['StockNumber', 'VIN', 'InternetSpecial', 'Mileage'],
    ['StockNumber', 'VIN', 'UsedNew', 'LotPrice'],
  ],
  columns: {
    dealerKey: ['DealerID'],
    vin: ['VIN'],
    stockNumber: ['StockNumber'],
    year: ['Year'],
    make: ['Make'],
    model: ['Model'],
    trim: ['Trim'],
    condition: ['UsedNew', 'Condition'],
    certified: ['Certified'],
    bodyStyle: ['BodyStyle'],
    exteriorColor: ['ExteriorColor'],
    interiorColor: ['InteriorColor'],
    odometer: ['Mileage'],
    price: ['InternetSpecial', 'Price', 'LotPrice'],
    listPrice: ['MSRP'],
    listingUrl: ['VehicleDetailsPage'],
    images: ['PhotoUrls', 'ImageURLs'],
    description: ['Comment'],
    stockedAt: ['InventoryDate'],
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
