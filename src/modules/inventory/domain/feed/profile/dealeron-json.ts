import type { FeedProfile } from './feed-profile.js';
import { LINE_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/** DealerOn vehicle cards. A card without a condition stays unknown; cards carry no stock number, so the VIN stands in. */
export const DEALERON_JSON: FeedProfile = {
  name: 'dealeron-json',
  codecs: [{ kind: 'json', records: ['', 'DisplayCards', 'VehicleCards', 'vehicles'] }],
  signatures: [['VehicleVin', 'VehicleYear', 'VehicleMake']],
  columns: {
    vin: ['VehicleVin', 'VehicleCard.VehicleVin'],
    stockNumber: ['VehicleStockNumber', 'VehicleCard.VehicleStockNumber', 'VehicleVin', 'VehicleCard.VehicleVin'],
    year: ['VehicleYear', 'VehicleCard.VehicleYear'],
    make: ['VehicleMake', 'VehicleCard.VehicleMake'],
    model: ['VehicleModel', 'VehicleCard.VehicleModel'],
    trim: ['VehicleTrim', 'VehicleCard.VehicleTrim'],
    condition: ['VehicleType', 'VehicleCard.VehicleType', 'VehicleCondition', 'VehicleCard.VehicleCondition'],
    certified: ['VehicleCpo', 'VehicleCard.VehicleCpo'],
    odometer: ['VehicleMileage', 'VehicleCard.VehicleMileage'],
    fuelType: ['VehicleFuelType', 'VehicleCard.VehicleFuelType'],
    price: ['VehicleInternetPrice', 'VehicleCard.VehicleInternetPrice'],
    listPrice: ['VehicleMsrp', 'VehicleCard.VehicleMsrp'],
  },
  required: [],
  rules: {
    amounts: 'major',
    conditions: CONDITION_WORDS,
    statuses: STATUS_WORDS,
    emptyStatus: 'available',
    photoSeparators: [LINE_LIST],
    featureSeparator: LINE_LIST,
  },
};
