export { RestoreJournalModule } from './restore-journal.module.js';
export { RestoreGateModule } from './restore-gate.module.js';
export { AcceptLoss } from './app/accept-loss.js';
export { CheckJournal, type JournalCheck } from './app/check-journal.js';
export { ReplayJournal, type ReplayReport } from './app/replay-journal.js';
export { refusalOf, RestoreRefusal } from './app/restore-refusal.js';
export type { KeptStatement, StatementFinding, StatementState } from './domain/compare-statements.js';
