export { RedactionAdminModule, RedactionSubjectDataModule } from './redaction.module.js';
