import type { FeedProfile } from './feed-profile.js';
import { LINE_LIST } from './separators.js';
import { CONDITION_WORDS, STATUS_WORDS } from './vocabulary.js';

/**
 * Dealer.com storefront inventory. The price that is marked final often subtracts a conditional offer, so the asking price
 * is the advertised one and the offer becomes a conditional adjustment (DAP-PR-003).
 */
export const DEALERCOM_JSON: FeedProfile = {
  name: 'dealercom-json',
  codecs: [{ kind: 'json', records: ['inventory'], storesMember: 'accounts' }],
  signatures: [['inventory', 'accountId', 'trackingPricing']],
  columns: {
    dealerKey: ['accountId'],
    vin: ['vin'],
    stockNumber: ['stockNumber'],
    year: ['year'],
    make: ['make'],
    model: ['model'],
    trim: ['trim'],
    condition: ['type', 'condition'],
    certified: ['certified'],
    bodyStyle: ['bodyStyle'],
    exteriorColor: ['attributes[exteriorColor].value'],
    interiorColor: ['attributes[interiorColor].value'],
    odometer: ['attributes[odometer].value'],
    odometerAgain: ['trackingAttributes[odometer].value'],
    fuelType: ['fuelType'],
    drivetrain: ['trackingAttributes[driveLine].value'],
    transmission: ['attributes[transmission].value'],
    price: ['trackingPricing.askingPrice'],
    listPrice: ['trackingPricing.msrp'],
    foldedPrice: ['trackingPricing.salePrice'],
    offers: ['pricing.dprice'],
    status: ['status'],
    offSite: ['offSite'],
    listingUrl: ['link'],
    images: ['images[].uri'],
    features: ['packages[]'],
  },
  required: [],
  rules: {
    amounts: 'major',
    conditions: CONDITION_WORDS,
    certifiedDecides: true,
    statuses: STATUS_WORDS,
    emptyStatus: 'unknown',
    photoSeparators: [LINE_LIST],
    featureSeparator: LINE_LIST,
  },
};
