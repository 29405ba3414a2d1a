import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** vAuto export: one store a file, or many by `DealerId`. `Price` is often blank on new units that show only MSRP. */
export const VAUTO: FeedProfile = {
  name: 'vauto',
  codecs: [{ kind: 'delimited' }],
  signatures: [['VIN', 'Stock #', 'New/Used', 'Series', 'Photo Url List']],
  columns: {
    dealerKey: ['DealerId'],
    vin: ['VIN'],
    stockNumber: ['Stock #'],
    year: ['Year'],
    make: ['Make'],
    model: ['Model'],
    trim: ['Series'],
    condition: ['New/Used'],
    certified: ['Certified'],
    bodyStyle: ['Body'],
    exteriorColor: ['Colour', 'Color'],
    interiorColor: ['Interior Color'],
    odometer: ['Odometer'],
    drivetrain: ['Drivetrain Desc'],
    transmission: ['Transmission'],
    price: ['Price', 'Internet Price'],
    listPrice: ['MSRP'],
    disposition: ['Disposition'],
    listingUrl: ['Vehicle Detail Link', 'Listing Url'],
    images: ['Photo Url List'],
    features: ['Features'],
    description: ['Description'],
    stockedAt: ['Inventory Date'],
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
