export { AuditModule } from './audit.module.js';
export { TRANSACTIONAL_AUDIT, type ChangeOrigin, type TransactionalAudit } from './app/transactional-audit.js';
