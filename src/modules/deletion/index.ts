export { DeletionAdminModule, DeletionJobsModule, DeletionRecordsModule } from './deletion.module.js';
export {
  DELETION_RECORDS,
  type DeletionRecord,
  type DeletionRecordContent,
  type DeletionRecords,
} from './app/deletion-records.js';
export {
  DISPOSERS,
  type BatchOutcome,
  type Disposal,
  type Disposer,
  type PartSize,
  type Slice,
} from './app/disposer.js';
export { RunNotInForce } from './app/run-not-in-force.js';
