import type { FeedProfile } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { STATUS_WORDS } from './vocabulary.js';

/**
 * autotrader.ca partner feed: pipes, no header, no quoting, 37 positions. The category number says new or used, and the
 * site assigns it: without a configured condition map every row is quarantined.
 */
export const AUTOTRADER_CA: FeedProfile = {
  name: 'autotrader-ca',
  codecs: [
    {
      kind: 'positional',
      delimiters: [{ delimiter: '|', quoting: false }],
      columns: [
        ...['CategoryID', 'CompanyID', 'StockNumber', 'Vin', 'Status', 'Year', 'Make', 'Model', 'Trim', 'KMS'],
        ...['Exterior Color', 'Interior Color', 'FuelType', 'Drive', 'Engine Size', 'Transmission', 'Doors', 'Price'],
        ...['Options', 'Description', 'MainPhoto', 'MainPhotoLastModifiedDate', 'ExtraPhotos'],
        ...['ExtraphotoLastModifiedDate', 'Displacement', 'FuelCapacity', 'Clutch', 'Location', 'Torque', 'Beam'],
        ...['HorsePower', 'EngineHours', 'Weight', 'LengthInInches', 'BodyType', 'MSRP', 'InventoryURL'],
      ],
    },
  ],
  signatures: [],
  columns: {
    dealerKey: ['CompanyID'],
    vin: ['Vin'],
    stockNumber: ['StockNumber'],
    year: ['Year'],
    make: ['Make'],
    model: ['Model'],
    trim: ['Trim'],
    condition: ['CategoryID'],
    bodyStyle: ['BodyType'],
    exteriorColor: ['Exterior Color'],
    interiorColor: ['Interior Color'],
    odometer: ['KMS'],
    fuelType: ['FuelType'],
    drivetrain: ['Drive'],
    transmission: ['Transmission'],
    price: ['Price'],
    listPrice: ['MSRP'],
    status: ['Status'],
    listingUrl: ['InventoryURL'],
    images: ['MainPhoto', 'ExtraPhotos'],
    features: ['Options'],
    description: ['Description'],
  },
  required: [],
  rules: {
    amounts: 'major',
    conditions: {},
    statuses: STATUS_WORDS,
    emptyStatus: 'unknown',
    odometerUnit: 'km',
    photoSeparators: ANY_PHOTO_SEPARATOR,
    featureSeparator: COMMA_LIST,
  },
};
