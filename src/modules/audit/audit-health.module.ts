import { Logger, Module } from '@nestjs/common';
import type pg from 'pg';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { POOL } from '../../platform/database/database.module.js';
import { Alarm } from './app/alarm.js';
import { AuditHealth } from './app/audit-health.js';
import { PostgresClockOffset } from './infra/postgres-clock-offset.js';
import { PostgresSequencingLag } from './infra/postgres-sequencing-lag.js';

const LAG_MAX_SECONDS = 10;
const CLOCK_MAX_SECONDS = 1;

/** What is watched of the trail: numbering and clocks. */
@Module({
  providers: [
    {
      provide: PostgresClockOffset,
      inject: [POOL, CLOCK],
      useFactory: (pool: pg.Pool, clock: Clock) => new PostgresClockOffset(pool, clock),
    },
    {
      provide: AuditHealth,
      inject: [POOL, PostgresClockOffset],
      useFactory: (pool: pg.Pool, clock: PostgresClockOffset) => {
        const log = new Logger('Audit');
        return new AuditHealth(new PostgresSequencingLag(pool), clock, {
          lag: new Alarm('numbering of the audit trail is behind', LAG_MAX_SECONDS, 's', log),
          clock: new Alarm('the clock differs from the database', CLOCK_MAX_SECONDS, 's', log),
        });
      },
    },
  ],
  exports: [AuditHealth, PostgresClockOffset],
})
export class AuditHealthModule {}
