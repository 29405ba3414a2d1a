import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { ApprovalsModule } from '../approvals/index.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { ActivateRetentionPolicy } from './app/activate-retention-policy.js';
import { ExplainRecord } from './app/explain-record.js';
import type { RetentionPolicyParts } from './app/policy-parts.js';
import { ReadRetentionPolicies } from './app/read-retention-policies.js';
import { RETENTION_RULES, type RetentionRules } from './app/retention-rules.js';
import { VERIFIED_ERASURES, type VerifiedErasures } from './app/verified-erasures.js';
import { WriteRetentionDraft } from './app/write-retention-draft.js';
import { RetentionCategoriesController } from './http/retention-categories.controller.js';
import { ExplainController } from './http/explain.controller.js';
import { RetentionDraftsController } from './http/retention-drafts.controller.js';
import { RetentionPoliciesController } from './http/retention-policies.controller.js';
import { RetentionProfilesController } from './http/retention-profiles.controller.js';
import { SqlRetainedRecords } from './infra/sql-retained-records.js';
import { SqlRetentionDrafts } from './infra/sql-retention-drafts.js';
import { SqlRetentionVersions } from './infra/sql-retention-versions.js';
import { SqlRooftopPlaces } from './infra/sql-rooftop-places.js';
import { RetentionModule } from './retention.module.js';

const PARTS = Symbol('RetentionPolicyParts');
const useCase = <T>(type: new (parts: RetentionPolicyParts) => T) => ({
  provide: type,
  inject: [PARTS],
  useFactory: (parts: RetentionPolicyParts) => new type(parts),
});

/** The admin API of retention policies, under /admin/v1/retention. */
@Module({})
export class RetentionAdminModule {
  /** @param imports modules that provide VERIFIED_ERASURES, if there is one: they build on this module themselves */
  static with(...imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return {
      module: RetentionAdminModule,
      imports: [ApprovalsModule, AuditModule, RetentionModule, ...imports],
      controllers: [
        RetentionDraftsController,
        RetentionPoliciesController,
        RetentionProfilesController,
        RetentionCategoriesController,
        ExplainController,
      ],
      providers: [
        {
          provide: PARTS,
          inject: [UNIT_OF_WORK, APPROVALS, TRANSACTIONAL_AUDIT, CLOCK],
          useFactory: (
            unitOfWork: UnitOfWork,
            approvals: Approvals,
            audit: TransactionalAudit,
            clock: Clock,
          ): RetentionPolicyParts => ({
            ...{ unitOfWork, approvals, audit, clock },
            drafts: new SqlRetentionDrafts(),
            versions: new SqlRetentionVersions(),
            places: new SqlRooftopPlaces(),
          }),
        },
        useCase(WriteRetentionDraft),
        useCase(ActivateRetentionPolicy),
        useCase(ReadRetentionPolicies),
        {
          provide: ExplainRecord,
          inject: [UNIT_OF_WORK, RETENTION_RULES, CLOCK, { token: VERIFIED_ERASURES, optional: true }],
          useFactory: (unitOfWork: UnitOfWork, rules: RetentionRules, clock: Clock, erasures?: VerifiedErasures) =>
            new ExplainRecord({ unitOfWork, rules, clock, erasures, records: new SqlRetainedRecords() }),
        },
      ],
    };
  }
}
