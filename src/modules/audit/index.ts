export { AuditModule } from './audit.module.js';
export { TRANSACTIONAL_AUDIT, type ChangeOrigin, type TransactionalAudit } from './app/transactional-audit.js';
export { decodeCanonical, leafOf, matchesCommitment, type DecodedRecord } from './domain/stored-record.js';
