export { RedactionAdminModule } from './redaction.module.js';
