export { AuditModule } from './audit.module.js';
export { AuditHealth } from './app/audit-health.js';
export { AuditHealthModule } from './audit-health.module.js';
export { AuditSubjectDataModule } from './audit-subject-data.module.js';
export { AuditPruningModule } from './audit-pruning.module.js';
export { PruneAuditLog } from './app/prune-audit-log.js';
export { AuditAdminModule } from './audit-admin.module.js';
export { SupersededExports } from './app/exports/superseded-exports.js';
export { AuditExportsAdminModule, AuditExportsJobsModule, SupersededExportsModule } from './audit-exports.module.js';
export { AuditStreamsAdminModule, AuditStreamsJobsModule } from './audit-streams.module.js';
export { AuditLogJobsModule, AuditLogModule, SIGNING_KEY } from './audit-log.module.js';
export { AuditOutsideAdminModule, AuditOutsideJobsModule } from './audit-outside.module.js';
export { ExportAuditLog } from './app/export-audit-log.js';
export { type ExportRow } from './domain/audit-export.js';
export { AuditKeys } from './app/audit-keys.js';
export { type NoteKey, parseVerifierKey } from './domain/log/signed-note.js';
export { logOrigin } from './app/log-names.js';
export type { SigningKey } from './app/signing-key.js';
export type { Verification, VerifyScope } from './app/verification.js';
export { VerifyAuditLog } from './app/verify-audit-log.js';
export type { Finding } from './app/verify-findings.js';
export { TRANSACTIONAL_AUDIT, type ChangeOrigin, type TransactionalAudit } from './app/transactional-audit.js';
export {
  POLICY_GROUND,
  REDACTED_OPERATION,
  REDACTION_GROUNDS,
  REDACTION_SCOPES,
  type RedactionGround,
  type RedactionScope,
} from './domain/redaction.js';
export { CompactRange } from './domain/log/compact-range.js';
export { DELETION_RECORD_FORMAT } from './app/check-deletion-record.js';
export { ProveRecord, type RecordProof } from './app/prove-record.js';
