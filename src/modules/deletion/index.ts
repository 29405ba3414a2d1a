export { DeletionRecordsModule } from './deletion-records.module.js';
export { DeletionAdminModule, DeletionJobsModule } from './deletion.module.js';
export { StandingApprovalsAdminModule, StandingApprovalsJobsModule } from './standing-approvals.module.js';
export {
  DELETION_RECORDS,
  type DeletionRecord,
  type DeletionRecordContent,
  type DeletionRecords,
} from './app/deletion-records.js';
export type { BatchOutcome, Disposal, Disposer, PartSize, Slice } from './app/disposer.js';
