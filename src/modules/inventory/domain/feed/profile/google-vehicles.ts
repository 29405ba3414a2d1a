import type { FeedProfile, ProfileRules } from './feed-profile.js';
import { ANY_PHOTO_SEPARATOR, COMMA_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

const rules: ProfileRules = {
  amounts: 'major',
  conditions: CONDITION_WORDS,
  statuses: STATUS_WORDS,
  emptyStatus: 'available',
  photoSeparators: ANY_PHOTO_SEPARATOR,
  featureSeparator: COMMA_LIST,
};

const columns: FeedProfile['columns'] = {
  dealerKey: ['store_code', 'place_id'],
  vin: ['VIN'],
  stockNumber: ['id'],
  year: ['year'],
  make: ['make', 'brand'],
  model: ['model'],
  trim: ['trim'],
  condition: ['condition'],
  certified: ['certified_pre_owned'],
  bodyStyle: ['body_style'],
  exteriorColor: ['exterior_color', 'color'],
  interiorColor: ['interior_color'],
  odometer: ['mileage'],
  price: ['price'],
  listPrice: ['vehicle_msrp'],
  status: ['availability'],
  listingUrl: ['link'],
  images: ['image_link', 'additional_image_link'],
  features: ['vehicle_option'],
  description: ['description'],
  stockedAt: ['date_in_stock'],
};

/** Google vehicle listings: one file for all stores. The disclaimer is text and never becomes a charge. */
export const GOOGLE_VEHICLE_LISTINGS: FeedProfile = {
  name: 'google-vehicle-listings',
  codecs: [{ kind: 'delimited' }],
  signatures: [
    ['store_code', 'id', 'VIN', 'dealership_name'],
    ['place_id', 'id', 'VIN', 'dealership_name'],
    ['store_code', 'id', 'VIN', 'vehicle_option'],
  ],
  columns,
  required: ['dealerKey', 'vin', 'stockNumber', 'year', 'make', 'model', 'condition', 'price'],
  rules,
};

/** Google Merchant vehicle ads: the same cells under exact attribute names. */
export const GOOGLE_MERCHANT_VEHICLES: FeedProfile = {
  name: 'google-merchant-vehicles',
  codecs: [{ kind: 'delimited' }],
  signatures: [
    ['id', 'VIN', 'store_code', 'link_template'],
    ['id', 'VIN', 'store_code', 'google_product_category'],
    ['id', 'VIN', 'store_code', 'vehicle_all_in_price'],
  ],
  columns: { ...columns, listingUrl: ['link', 'link_template'] },
  required: ['dealerKey', 'vin', 'stockNumber', 'year', 'make', 'model', 'condition', 'price'],
  rules,
};
