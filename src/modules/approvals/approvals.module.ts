import { Module } from '@nestjs/common';
import { APPROVALS } from '../../kernel/ports/approvals.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { STAFF_ROSTER, StaffModule, type StaffRoster } from '../staff/index.js';
import { AssessApproval } from './app/assess-approval.js';
import { DecideApproval } from './app/decide-approval.js';
import { ListApprovals } from './app/list-approvals.js';
import { StoredApprovals } from './app/stored-approvals.js';
import { ApprovalsController } from './http/approvals.controller.js';
import { PrismaApprovalStore } from './infra/prisma-approval-store.js';

const store = new PrismaApprovalStore();

/** Actions that wait for a second person. */
@Module({
  imports: [AuditModule, StaffModule],
  providers: [
    {
      provide: AssessApproval,
      inject: [STAFF_ROSTER, CLOCK],
      useFactory: (roster: StaffRoster, clock: Clock) => new AssessApproval(store, roster, clock),
    },
    {
      provide: APPROVALS,
      inject: [AssessApproval, CLOCK],
      useFactory: (assess: AssessApproval, clock: Clock) => new StoredApprovals(store, assess, clock),
    },
    {
      provide: ListApprovals,
      inject: [UNIT_OF_WORK, AssessApproval, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, assess: AssessApproval, clock: Clock) =>
        new ListApprovals(unitOfWork, store, assess, clock),
    },
    {
      provide: DecideApproval,
      inject: [UNIT_OF_WORK, STAFF_ROSTER, AssessApproval, TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        roster: StaffRoster,
        assess: AssessApproval,
        audit: TransactionalAudit,
        clock: Clock,
      ) => new DecideApproval({ unitOfWork, store, roster, assess, audit, clock }),
    },
  ],
  exports: [APPROVALS, ListApprovals, DecideApproval],
})
export class ApprovalsModule {}

/** The admin API of the module. */
@Module({ imports: [ApprovalsModule], controllers: [ApprovalsController] })
export class ApprovalsAdminModule {}
