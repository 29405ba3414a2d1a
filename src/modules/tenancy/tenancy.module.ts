import { Inject, Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import type { UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { UNIT_OF_WORK } from '../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../kernel/time.js';
import { CLOCK } from '../../kernel/time.js';
import type { Settings } from '../../platform/config/settings.js';
import { SETTINGS } from '../../platform/config/settings.js';
import { ChannelListener } from '../../platform/database/channel-listener.js';
import { POOL, POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { ChangeRooftopSettings } from './app/change-rooftop-settings.js';
import { CreateDealerGroup } from './app/create-dealer-group.js';
import { DEALER_CHANGES, DEALER_DIRECTORY, type DealerDirectory } from './app/dealer-directory.js';
import { POLICY_VERSIONS, type PolicyVersions } from './app/policy-versions.js';
import { RooftopSettingsHistory } from './app/rooftop-settings-history.js';
import { RooftopsController } from './http/rooftops.controller.js';
import { DEALER_CHANNEL } from './infra/dealer-channel.js';
import { PrismaDealerDirectory, PrismaDealerGroupStore } from './infra/prisma-dealer-groups.js';
import { PoliciesInForce } from './infra/policies-in-force.js';
import { PrismaPolicyVersions } from './infra/prisma-policy-versions.js';
import { PrismaRooftopSettings } from './infra/prisma-rooftop-settings.js';

const LISTENER = Symbol('DealerListener');

/** Dealer groups, their rooftops and what these decide. */
@Module({
  imports: [AuditModule],
  providers: [
    PrismaRooftopSettings,
    { provide: POLICY_VERSIONS, useClass: PrismaPolicyVersions },
    {
      provide: DEALER_DIRECTORY,
      inject: [UNIT_OF_WORK, POOL, CLOCK, SETTINGS, POLICY_VERSIONS],
      useFactory: (unitOfWork: UnitOfWork, pool: pg.Pool, clock: Clock, settings: Settings, policies: PolicyVersions) =>
        new PrismaDealerDirectory(
          unitOfWork,
          pool,
          clock,
          settings.DEFAULT_ORGANIZATION,
          new PoliciesInForce(policies, new Logger('policy')),
        ),
    },
    { provide: DEALER_CHANGES, useExisting: DEALER_DIRECTORY },
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
    CreateDealerGroup,
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
@Module({ imports: [TenancyModule], controllers: [RooftopsController] })
export class TenancyAdminModule {}
