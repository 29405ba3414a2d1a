import { Inject, Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { SERVED_ORGANIZATIONS, type ServedOrganizations } from '../../kernel/ports/served-organizations.js';
import type { UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { UNIT_OF_WORK } from '../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../kernel/time.js';
import { CLOCK } from '../../kernel/time.js';
import type { Settings } from '../../platform/config/settings.js';
import { SETTINGS } from '../../platform/config/settings.js';
import { ChannelListener } from '../../platform/database/channel-listener.js';
import { POOL, POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { AccessSnapshots, AccessSnapshotsModule, SnapshotSections } from '../access-snapshots/index.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { ChangeRooftopSettings } from './app/change-rooftop-settings.js';
import { CreateDealerGroup } from './app/create-dealer-group.js';
import { DEALER_CHANGES, DEALER_DIRECTORY, type DealerDirectory } from './app/dealer-directory.js';
import { POLICY_VERSIONS, type PolicyVersions } from './app/policy-versions.js';
import { KeepRooftops } from './app/keep-rooftops.js';
import { ORGANIZATION_STORE, type OrganizationStore } from './app/organization-store.js';
import { RooftopSettingsHistory } from './app/rooftop-settings-history.js';
import { RooftopProfilesController } from './http/rooftop-profiles.controller.js';
import { RooftopsController } from './http/rooftops.controller.js';
import { DEALER_CHANNEL } from './infra/dealer-channel.js';
import { PrismaDealerDirectory, PrismaDealerGroupStore } from './infra/prisma-dealer-groups.js';
import { PoliciesInForce } from './infra/policies-in-force.js';
import { PrismaPolicyVersions } from './infra/prisma-policy-versions.js';
import { PrismaOrganizationStore } from './infra/prisma-organization-store.js';
import { PrismaRooftopProfiles } from './infra/prisma-rooftop-profiles.js';
import { SnapshotGroups } from './infra/snapshot-groups.js';
import { PrismaRooftopSettings } from './infra/prisma-rooftop-settings.js';

const LISTENER = Symbol('DealerListener');
const GROUP_SNAPSHOTS = Symbol('GroupSnapshots');

function makeDirectory(
  unitOfWork: UnitOfWork,
  pool: pg.Pool,
  clock: Clock,
  settings: Settings,
  policies: PolicyVersions,
  snapshots: SnapshotGroups,
): PrismaDealerDirectory {
  const inForce = new PoliciesInForce(policies, new Logger('policy'));
  const directory = new PrismaDealerDirectory(
    unitOfWork,
    pool,
    clock,
    settings.DEFAULT_ORGANIZATION,
    inForce,
    snapshots,
  );
  snapshots.register((tx) => directory.load(tx));
  return directory;
}

/** Dealer groups, their rooftops and what these decide. */
@Module({
  imports: [AccessSnapshotsModule, AuditModule],
  providers: [
    PrismaRooftopSettings,
    { provide: POLICY_VERSIONS, useClass: PrismaPolicyVersions },
    {
      provide: GROUP_SNAPSHOTS,
      inject: [SnapshotSections, AccessSnapshots],
      useFactory: (...parts: ConstructorParameters<typeof SnapshotGroups>) => new SnapshotGroups(...parts),
    },
    {
      provide: DEALER_DIRECTORY,
      inject: [UNIT_OF_WORK, POOL, CLOCK, SETTINGS, POLICY_VERSIONS, GROUP_SNAPSHOTS],
      useFactory: makeDirectory,
    },
    { provide: DEALER_CHANGES, useExisting: DEALER_DIRECTORY },
    {
      provide: SERVED_ORGANIZATIONS,
      inject: [DEALER_DIRECTORY],
      useFactory: (directory: DealerDirectory): ServedOrganizations => ({
        isServed: async (organizationId) => (await directory.find(organizationId)) !== undefined,
      }),
    },
    {
      provide: LISTENER,
      inject: [POOL_FACTORY, DEALER_DIRECTORY],
      useFactory: (open: PoolFactory, directory: PrismaDealerDirectory) =>
        new ChannelListener(
          open({ name: 'forecourt-listen-dealers', size: 1 }),
          DEALER_CHANNEL,
          (organizationId) => {
            directory.forget(organizationId);
          },
          () => {
            directory.forgetAll();
          },
        ),
    },
    {
      provide: CreateDealerGroup,
      inject: [UNIT_OF_WORK],
      useFactory: (unitOfWork: UnitOfWork) => new CreateDealerGroup(unitOfWork, new PrismaDealerGroupStore()),
    },
    {
      provide: ChangeRooftopSettings,
      inject: [UNIT_OF_WORK, PrismaRooftopSettings, TRANSACTIONAL_AUDIT, DEALER_DIRECTORY, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        store: PrismaRooftopSettings,
        audit: TransactionalAudit,
        directory: DealerDirectory,
        clock: Clock,
      ) => new ChangeRooftopSettings(unitOfWork, store, audit, directory, clock),
    },
    { provide: ORGANIZATION_STORE, useClass: PrismaOrganizationStore },
    {
      provide: KeepRooftops,
      inject: [UNIT_OF_WORK, ORGANIZATION_STORE, TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, organizations: OrganizationStore, audit: TransactionalAudit, clock: Clock) =>
        new KeepRooftops({
          ...{ unitOfWork, organizations, audit, clock },
          rooftops: new PrismaRooftopProfiles(),
          groups: new PrismaDealerGroupStore(),
        }),
    },
    {
      provide: RooftopSettingsHistory,
      inject: [UNIT_OF_WORK, PrismaRooftopSettings],
      useFactory: (unitOfWork: UnitOfWork, store: PrismaRooftopSettings) =>
        new RooftopSettingsHistory(unitOfWork, store),
    },
  ],
  exports: [
    DEALER_DIRECTORY,
    DEALER_CHANGES,
    POLICY_VERSIONS,
    ORGANIZATION_STORE,
    SERVED_ORGANIZATIONS,
    CreateDealerGroup,
    KeepRooftops,
    ChangeRooftopSettings,
    RooftopSettingsHistory,
  ],
})
export class TenancyModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(LISTENER) private readonly listener: ChannelListener) {}

  onApplicationBootstrap(): void {
    this.listener.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listener.close();
  }
}

/** The admin API of the module. */
@Module({
  imports: [TenancyModule],
  exports: [TenancyModule],
  controllers: [RooftopsController, RooftopProfilesController],
})
export class TenancyAdminModule {}
