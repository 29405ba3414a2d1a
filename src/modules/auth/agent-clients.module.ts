import { Module } from '@nestjs/common';
import { REVOCATION_JOURNAL, type RevocationJournal } from '../../kernel/ports/restore-journal.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { publicUrlOf } from '../../platform/http/public-url.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { RestoreJournalModule } from '../restore-journal/index.js';
import { AccessChanges } from './app/access-change.js';
import { ManageAgentClients } from './app/manage-agent-clients.js';
import { ManageTrustedIssuers } from './app/manage-trusted-issuers.js';
import { AgentClientsController } from './http/agent-clients.controller.js';
import { TrustedIssuersController } from './http/trusted-issuers.controller.js';
import { PrismaAgentClientStore } from './infra/prisma-agent-client-store.js';
import { PrismaGrantStore } from './infra/prisma-grant-store.js';
import { PrismaTrustedIssuerStore } from './infra/prisma-trusted-issuer-store.js';

/** The admin API of whose tokens count, and of which clients carry which grant. */
@Module({
  imports: [AuditModule, RestoreJournalModule],
  controllers: [AgentClientsController, TrustedIssuersController],
  providers: [
    {
      provide: ManageAgentClients,
      inject: [UNIT_OF_WORK, TRANSACTIONAL_AUDIT, REVOCATION_JOURNAL, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, audit: TransactionalAudit, journal: RevocationJournal, clock: Clock) =>
        new ManageAgentClients({
          unitOfWork,
          store: new PrismaAgentClientStore(),
          grants: new PrismaGrantStore(),
          changes: new AccessChanges(audit, clock),
          journal,
          clock,
        }),
    },
    {
      provide: ManageTrustedIssuers,
      inject: [UNIT_OF_WORK, TRANSACTIONAL_AUDIT, REVOCATION_JOURNAL, CLOCK, SETTINGS],
      useFactory: (
        unitOfWork: UnitOfWork,
        audit: TransactionalAudit,
        journal: RevocationJournal,
        clock: Clock,
        settings: Settings,
      ) => {
        const changes = new AccessChanges(audit, clock);
        return new ManageTrustedIssuers(
          unitOfWork,
          new PrismaTrustedIssuerStore(),
          changes,
          journal,
          clock,
          publicUrlOf(settings),
        );
      },
    },
  ],
})
export class AgentClientsAdminModule {}
