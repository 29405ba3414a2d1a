import { Module } from '@nestjs/common';
import { EMBEDDED_ISSUER, type EmbeddedIssuer } from '../../kernel/ports/embedded-issuer.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { STAFF_HISTORY, type StaffHistory, StaffModule } from '../staff/index.js';
import { ORGANIZATION_STORE, type OrganizationStore, TenancyModule } from '../tenancy/index.js';
import { ReviewAccess } from './app/review-access.js';
import { AccessReviewController } from './http/access-review.controller.js';
import { ClientAccessHistory } from './infra/client-access-history.js';
import { PrismaAccessHistory } from './infra/prisma-access-history.js';
import { StaffAccessHistory } from './infra/staff-access-history.js';

/** Who could reach what on a date: part of the admin API. */
@Module({
  imports: [StaffModule, TenancyModule],
  controllers: [AccessReviewController],
  providers: [
    {
      provide: ReviewAccess,
      inject: [UNIT_OF_WORK, STAFF_HISTORY, ORGANIZATION_STORE, { token: EMBEDDED_ISSUER, optional: true }],
      useFactory: (
        unitOfWork: UnitOfWork,
        staff: StaffHistory,
        organizations: OrganizationStore,
        embedded: EmbeddedIssuer | undefined,
      ) => {
        const clients = new ClientAccessHistory(embedded?.issuer);
        return new ReviewAccess(
          unitOfWork,
          [new PrismaAccessHistory(), clients, new StaffAccessHistory(staff)],
          organizations,
        );
      },
    },
  ],
})
export class AccessReviewModule {}
