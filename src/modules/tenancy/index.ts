export type { ContactPoint, DealerGroup, HoursInterval, PostalAddress, Rooftop } from './domain/dealer-group.js';
export { RooftopSettings } from './domain/rooftop-settings.js';
export type { DealerChanges, DealerDirectory } from './app/dealer-directory.js';
export { DEALER_CHANGES, DEALER_DIRECTORY } from './app/dealer-directory.js';
export type { NewDealerGroup, NewRooftop } from './app/create-dealer-group.js';
export { CreateDealerGroup } from './app/create-dealer-group.js';
export type { AccessDecision, AccessQuestion, ReachableRooftops } from './domain/decide-access.js';
export { decideAccess } from './domain/decide-access.js';
export { TenancyAdminModule, TenancyModule } from './tenancy.module.js';
