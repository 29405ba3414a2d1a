import { Module } from '@nestjs/common';
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
  ],
  exports: [RETENTION_RULES],
})
export class RetentionModule {}
