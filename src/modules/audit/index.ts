export { AuditModule } from './audit.module.js';
export { AuditAdminModule } from './audit-admin.module.js';
export { AuditLogJobsModule, AuditLogModule, SIGNING_KEY } from './audit-log.module.js';
export { ExportAuditLog } from './app/export-audit-log.js';
export { ExportChecker, type ExportRow } from './domain/audit-export.js';
export { openCheckpoint } from './domain/log/checkpoint.js';
export type { SigningKey } from './app/signing-key.js';
export { type Finding, type Verification, VerifyAuditLog } from './app/verify-audit-log.js';
export { TRANSACTIONAL_AUDIT, type ChangeOrigin, type TransactionalAudit } from './app/transactional-audit.js';
