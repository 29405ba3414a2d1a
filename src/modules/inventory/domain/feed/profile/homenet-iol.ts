import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** HomeNet IOL export. The meaning of `Misc_Price1..3` differs by dealer, so none is read unless it is configured. */
export const HOMENET_IOL: FeedProfile = {
  name: 'homenet-iol',
  codecs: [{ kind: 'delimited' }],
  signatures: [
    ['Type', 'Stock', 'VIN', 'SellingPrice', 'ImageList'],
    ['Type', 'Stock', 'VIN', 'Categorized Options', 'ImageList'],
    ['Type', 'Stock', 'VIN', 'Internet_Price', 'ImageList'],
  ],
  columns: {
    dealerKey: ['DealerId'],
    vin: ['VIN'],
    stockNumber: ['Stock'],
    year: ['Year'],
    make: ['Make'],
    model: ['Model'],
    trim: ['Trim'],
    condition: ['Type'],
    certified: ['Certified'],
    bodyStyle: ['Body'],
    exteriorColor: ['ExteriorColor', 'ExtColor'],
    interiorColor: ['InteriorColor', 'IntColor'],
    odometer: ['Miles', 'Odometer'],
    fuelType: ['Fuel_Type', 'EngFuel'],
    drivetrain: ['Drivetrain'],
    transmission: ['Transmission_Description', 'Transmission'],
    price: ['Internet_Price', 'SellingPrice', 'Price'],
    listPrice: ['MSRP'],
    listingUrl: ['VDPLink'],
    images: ['ImageList'],
    features: ['Options'],
    description: ['Description'],
    stockedAt: ['DateInStock'],
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
