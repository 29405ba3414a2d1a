import { Module } from '@nestjs/common';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { SUBJECT_DATA } from '../../kernel/ports/subject-data.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { ApprovalsModule } from '../approvals/index.js';
import {
  AuditModule,
  SupersededExports,
  SupersededExportsModule,
  TRANSACTIONAL_AUDIT,
  type TransactionalAudit,
} from '../audit/index.js';
import { RecordRedaction } from './app/record-redaction.js';
import { RedactAudit } from './app/redact-audit.js';
import { RedactionsController } from './http/redactions.controller.js';
import { PrismaRedactionStore } from './infra/prisma-redaction-store.js';
import { RedactionSubjectData } from './infra/redaction-subject-data.js';

/** How workers say in the log what they redacted. */
@Module({
  imports: [AuditModule, SupersededExportsModule],
  providers: [
    {
      provide: RecordRedaction,
      inject: [TRANSACTIONAL_AUDIT, SupersededExports, CLOCK],
      useFactory: (audit: TransactionalAudit, exports: SupersededExports, clock: Clock) =>
        new RecordRedaction(audit, exports, clock),
    },
  ],
  exports: [RecordRedaction],
})
export class WorkerRedactionsModule {}

/** The trail as a place where data of persons is. */
@Module({
  imports: [WorkerRedactionsModule],
  providers: [
    {
      provide: SUBJECT_DATA.redaction,
      inject: [RecordRedaction],
      useFactory: (redactions: RecordRedaction) => new RedactionSubjectData(redactions),
    },
  ],
  exports: [SUBJECT_DATA.redaction],
})
export class RedactionSubjectDataModule {}

/** Redaction of the audit trail, under /admin/v1/audit/redactions. Apart from the audit module, which approvals build on. */
@Module({
  imports: [ApprovalsModule, AuditModule, SupersededExportsModule],
  controllers: [RedactionsController],
  providers: [
    {
      provide: RedactAudit,
      inject: [UNIT_OF_WORK, APPROVALS, TRANSACTIONAL_AUDIT, SupersededExports, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        approvals: Approvals,
        audit: TransactionalAudit,
        exports: SupersededExports,
        clock: Clock,
      ) => new RedactAudit({ unitOfWork, store: new PrismaRedactionStore(), approvals, audit, exports, clock }),
    },
  ],
})
export class RedactionAdminModule {}
