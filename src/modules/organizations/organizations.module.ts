import { Module } from '@nestjs/common';
import { REVOCATION_JOURNAL, type RevocationJournal } from '../../kernel/ports/restore-journal.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { AuthModule, CREATE_KEY, type CreateKey, END_ALL_ACCESS, type EndAllAccess } from '../auth/index.js';
import { RestoreJournalModule } from '../restore-journal/index.js';
import { KeepRooftops, ORGANIZATION_STORE, type OrganizationStore, TenancyModule } from '../tenancy/index.js';
import { ChangeOrganizationState } from './app/change-organization-state.js';
import { CreateOrganization } from './app/create-organization.js';
import { KeepOrganizations } from './app/keep-organizations.js';
import { PlatformChanges } from './app/platform-change.js';
import { MoveRooftop } from './app/move-rooftop.js';
import { OrganizationsController } from './http/organizations.controller.js';

import { RooftopMovesController } from './http/rooftop-moves.controller.js';
import { PrismaRooftopTransfers } from './infra/prisma-rooftop-transfers.js';

/** How organizations come, go and hand rooftops to each other: what only the platform, or two organizations together, can do. */
@Module({
  imports: [AuditModule, AuthModule, RestoreJournalModule, TenancyModule],
  controllers: [OrganizationsController, RooftopMovesController],
  providers: [
    {
      provide: PlatformChanges,
      inject: [TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (audit: TransactionalAudit, clock: Clock) => new PlatformChanges(audit, clock),
    },
    {
      provide: CreateOrganization,
      inject: [UNIT_OF_WORK, ORGANIZATION_STORE, CREATE_KEY, PlatformChanges, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        store: OrganizationStore,
        createKey: CreateKey,
        changes: PlatformChanges,
        clock: Clock,
      ) => new CreateOrganization(unitOfWork, store, createKey, changes, clock),
    },
    {
      provide: KeepOrganizations,
      inject: [UNIT_OF_WORK, ORGANIZATION_STORE, PlatformChanges],
      useFactory: (unitOfWork: UnitOfWork, store: OrganizationStore, changes: PlatformChanges) =>
        new KeepOrganizations(unitOfWork, store, changes),
    },
    {
      provide: MoveRooftop,
      inject: [UNIT_OF_WORK, KeepRooftops, PlatformChanges, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, rooftops: KeepRooftops, changes: PlatformChanges, clock: Clock) =>
        new MoveRooftop(unitOfWork, new PrismaRooftopTransfers(), rooftops, changes, clock),
    },
    {
      provide: ChangeOrganizationState,
      inject: [UNIT_OF_WORK, ORGANIZATION_STORE, END_ALL_ACCESS, PlatformChanges, REVOCATION_JOURNAL, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        store: OrganizationStore,
        endAllAccess: EndAllAccess,
        changes: PlatformChanges,
        journal: RevocationJournal,
        clock: Clock,
      ) => new ChangeOrganizationState(unitOfWork, store, endAllAccess, changes, journal, clock),
    },
  ],
})
export class OrganizationsAdminModule {}
