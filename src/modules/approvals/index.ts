export { ApprovalsAdminModule, ApprovalsModule } from './approvals.module.js';
