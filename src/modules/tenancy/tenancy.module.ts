import { Module } from '@nestjs/common';
import type pg from 'pg';
import type { UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { UNIT_OF_WORK } from '../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../kernel/time.js';
import { CLOCK } from '../../kernel/time.js';
import type { Settings } from '../../platform/config/settings.js';
import { SETTINGS } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { CreateDealerGroup } from './app/create-dealer-group.js';
import { DEALER_DIRECTORY } from './app/dealer-directory.js';
import { PrismaDealerDirectory, PrismaDealerGroupStore } from './infra/prisma-dealer-groups.js';

@Module({
  providers: [
    {
      provide: DEALER_DIRECTORY,
      inject: [UNIT_OF_WORK, POOL, CLOCK, SETTINGS],
      useFactory: (unitOfWork: UnitOfWork, pool: pg.Pool, clock: Clock, settings: Settings) =>
        new PrismaDealerDirectory(unitOfWork, pool, clock, settings.DEFAULT_ORGANIZATION),
    },
    {
      provide: CreateDealerGroup,
      inject: [UNIT_OF_WORK],
      useFactory: (unitOfWork: UnitOfWork) => new CreateDealerGroup(unitOfWork, new PrismaDealerGroupStore()),
    },
  ],
  exports: [DEALER_DIRECTORY, CreateDealerGroup],
})
export class TenancyModule {}
