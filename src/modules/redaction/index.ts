export { RedactionAdminModule, RedactionSubjectDataModule, WorkerRedactionsModule } from './redaction.module.js';
export { RecordRedaction } from './app/record-redaction.js';
