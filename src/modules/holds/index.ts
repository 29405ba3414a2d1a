export { HoldSubjectDataModule } from './hold-subject-data.module.js';
export { HoldNoticesAdminModule, HoldNoticesJobsModule } from './hold-notices.module.js';
export { HoldsAdminModule, HoldsJobsModule, HoldsReplayModule } from './holds.module.js';
export type { HoldParts } from './app/hold-parts.js';
export type { HeldRecord } from './domain/held-record.js';
export type { HoldScope, LegalHold, RequestedHold } from './domain/legal-hold.js';
