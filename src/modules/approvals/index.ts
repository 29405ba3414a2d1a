export { ApprovalsAdminModule, ApprovalsModule } from './approvals.module.js';
export { APPROVAL_RULES } from './domain/approval-rules.js';
