import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** Autoxloo AX9 to AX11, CSV or two-level XML. `title` is new or used; the element `condition` is wear and is not read. */
export const AUTOXLOO: FeedProfile = {
  name: 'autoxloo',
  codecs: [{ kind: 'delimited' }, { kind: 'xml', records: ['listing', 'vehicle'] }],
  signatures: [['stock', 'title', 'vin', 'price_current', 'pics']],
  columns: {
    vin: ['vin'],
    stockNumber: ['stock'],
    year: ['year'],
    make: ['make'],
    model: ['model'],
    trim: ['trim'],
    condition: ['title'],
    vehicleType: ['type'],
    bodyStyle: ['body'],
    exteriorColor: ['exterior'],
    interiorColor: ['interior'],
    odometer: ['mileage'],
    fuelType: ['fuel_type'],
    drivetrain: ['drive_type'],
    transmission: ['transmission'],
    price: ['InternetPrice', 'price_current'],
    listPrice: ['MSRP'],
    images: ['pics'],
    features: ['options'],
    description: ['description'],
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
