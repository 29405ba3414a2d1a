export { PricingModule } from './pricing.module.js';
export { DiscloseUnitPrice, type UnitPriceQuestion } from './app/disclose-unit-price.js';
export { COMPLETENESS_FORMULA } from './domain/completeness.js';
export { PricingDisclosure } from './domain/disclosure-schema.js';
export { PAYMENT_MODES, type PaymentMode } from './domain/price-facts.js';
