export { RestoreJournalModule } from './restore-journal.module.js';
