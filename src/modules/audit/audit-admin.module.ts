import { Module } from '@nestjs/common';
import type pg from 'pg';
import { POOL } from '../../platform/database/database.module.js';
import { AUDIT_SEARCH } from './app/audit-search.js';
import { ProveRecord } from './app/prove-record.js';
import { AuditController } from './http/audit.controller.js';
import { PostgresAuditLog } from './infra/postgres-audit-log.js';
import { PostgresAuditSearch } from './infra/postgres-audit-search.js';

/** The trail for staff, under /admin/v1/audit. */
@Module({
  controllers: [AuditController],
  providers: [
    { provide: AUDIT_SEARCH, inject: [POOL], useFactory: (pool: pg.Pool) => new PostgresAuditSearch(pool) },
    {
      provide: ProveRecord,
      inject: [POOL],
      useFactory: (pool: pg.Pool) => new ProveRecord(new PostgresAuditLog(pool)),
    },
  ],
  exports: [ProveRecord],
})
export class AuditAdminModule {}
