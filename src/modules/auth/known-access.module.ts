import { Module } from '@nestjs/common';
import type pg from 'pg';
import { REVOCATIONS, type Revocations } from '../../kernel/ports/revocations.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { POOL } from '../../platform/database/database.module.js';
import { AccessSnapshots, AccessSnapshotsModule, SnapshotSections } from '../access-snapshots/index.js';
import { KnownAccess } from './app/known-access.js';
import { KnownClients } from './app/known-clients.js';
import { RecentClients } from './app/recent-clients.js';
import { loadAccessContent } from './infra/prisma-access-content.js';
import { PrismaAgentClientStore } from './infra/prisma-agent-client-store.js';
import { loadClientContent } from './infra/prisma-client-content.js';
import { PostgresKeyDirectory } from './infra/postgres-key-directory.js';
import { PrismaGrantStore } from './infra/prisma-grant-store.js';
import { PrismaTrustedIssuerStore } from './infra/prisma-trusted-issuer-store.js';

const grants = new PrismaGrantStore();
const clients = new PrismaAgentClientStore();
const issuers = new PrismaTrustedIssuerStore();

/** What is known by heart of keys, grants, clients and issuers: the sections of this module in the access snapshot. */
@Module({
  imports: [AccessSnapshotsModule],
  providers: [
    {
      provide: KnownAccess,
      inject: [POOL, UNIT_OF_WORK, SnapshotSections, AccessSnapshots, REVOCATIONS],
      useFactory: (
        pool: pg.Pool,
        unitOfWork: UnitOfWork,
        sections: SnapshotSections,
        snapshots: AccessSnapshots,
        revocations: Revocations,
      ) => {
        const unknown = {
          keys: new PostgresKeyDirectory(pool),
          grant: (organizationId: string, grantId: string) =>
            unitOfWork.withTenant(organizationId, (tx) => grants.find(tx, grantId)),
        };
        const known = new KnownAccess((tx) => loadAccessContent(tx, grants), snapshots, unknown, revocations);
        sections.register(known.section);
        return known;
      },
    },
    {
      provide: KnownClients,
      inject: [UNIT_OF_WORK, SnapshotSections, AccessSnapshots, REVOCATIONS, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        sections: SnapshotSections,
        snapshots: AccessSnapshots,
        revocations: Revocations,
        clock: Clock,
      ) => {
        const unknown = new RecentClients(unitOfWork, clients, clock);
        const load: KnownClients['section']['load'] = (tx) => loadClientContent(tx, clients, issuers);
        const known = new KnownClients(load, snapshots, unknown, revocations);
        sections.register(known.section);
        return known;
      },
    },
  ],
  exports: [KnownAccess, KnownClients],
})
export class KnownAccessModule {}
