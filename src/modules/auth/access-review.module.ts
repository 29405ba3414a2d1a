import { Module } from '@nestjs/common';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { ManageStaff, StaffModule } from '../staff/index.js';
import { ORGANIZATION_STORE, type OrganizationStore, TenancyModule } from '../tenancy/index.js';
import { ReviewAccess } from './app/review-access.js';
import { AccessReviewController } from './http/access-review.controller.js';
import { PrismaAccessHistory } from './infra/prisma-access-history.js';
import { StaffAccessHistory } from './infra/staff-access-history.js';

/** Who could reach what on a date: part of the admin API. */
@Module({
  imports: [StaffModule, TenancyModule],
  controllers: [AccessReviewController],
  providers: [
    {
      provide: ReviewAccess,
      inject: [UNIT_OF_WORK, ManageStaff, ORGANIZATION_STORE],
      useFactory: (unitOfWork: UnitOfWork, staff: ManageStaff, organizations: OrganizationStore) =>
        new ReviewAccess(unitOfWork, [new PrismaAccessHistory(), new StaffAccessHistory(staff)], organizations),
    },
  ],
})
export class AccessReviewModule {}
