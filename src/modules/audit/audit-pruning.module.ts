import { Module } from '@nestjs/common';
import type pg from 'pg';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { POOL } from '../../platform/database/database.module.js';
import { PruneAuditLog } from './app/prune-audit-log.js';
import { TRANSACTIONAL_AUDIT, type TransactionalAudit } from './app/transactional-audit.js';
import { AuditModule } from './audit.module.js';
import { PostgresAuditLog } from './infra/postgres-audit-log.js';
import { PostgresAuditPruning } from './infra/postgres-audit-pruning.js';

/** What retention runs do to the trail: PruneAuditLog. */
@Module({
  imports: [AuditModule],
  providers: [
    {
      provide: PruneAuditLog,
      inject: [POOL, UNIT_OF_WORK, TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (pool: pg.Pool, unitOfWork: UnitOfWork, audit: TransactionalAudit, clock: Clock) =>
        new PruneAuditLog(new PostgresAuditPruning(), new PostgresAuditLog(pool), unitOfWork, audit, clock),
    },
  ],
  exports: [PruneAuditLog],
})
export class AuditPruningModule {}
