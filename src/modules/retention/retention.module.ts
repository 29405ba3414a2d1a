import { Module } from '@nestjs/common';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { PublishedRetention } from './app/published-retention.js';
import { ReadRulesInForce } from './app/read-rules-in-force.js';
import { RETENTION_RULES } from './app/retention-rules.js';
import { SqlRetentionVersions } from './infra/sql-retention-versions.js';
import { SqlRooftopPlaces } from './infra/sql-rooftop-places.js';

/** The retention policy in force, for whatever disposes of records. */
@Module({
  providers: [
    {
      provide: RETENTION_RULES,
      useFactory: () => new ReadRulesInForce(new SqlRetentionVersions(), new SqlRooftopPlaces()),
    },
    {
      provide: PublishedRetention,
      inject: [UNIT_OF_WORK, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, clock: Clock) =>
        new PublishedRetention(unitOfWork, new SqlRetentionVersions(), clock),
    },
  ],
  exports: [PublishedRetention, RETENTION_RULES],
})
export class RetentionModule {}
