export { HoldsAdminModule, HoldsJobsModule, HoldsModule, HoldsReplayModule } from './holds.module.js';
export type { HoldParts } from './app/hold-parts.js';
export { PlaceHold } from './app/place-hold.js';
export { ReadHolds } from './app/read-holds.js';
export { RefusedDeletions } from './app/refused-deletions.js';
export type { HeldRecord } from './domain/held-record.js';
export { HoldRoot } from './app/hold-root.js';
export type { HoldScope, LegalHold, RequestedHold } from './domain/legal-hold.js';
