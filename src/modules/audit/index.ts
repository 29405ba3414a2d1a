export { AuditModule } from './audit.module.js';
export { AuditAdminModule } from './audit-admin.module.js';
export { AuditLogJobsModule, AuditLogModule } from './audit-log.module.js';
export { PublishCheckpoints } from './app/publish-checkpoints.js';
export { type Finding, type Verification, VerifyAuditLog } from './app/verify-audit-log.js';
export { TRANSACTIONAL_AUDIT, type ChangeOrigin, type TransactionalAudit } from './app/transactional-audit.js';
