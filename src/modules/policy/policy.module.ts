import { Module } from '@nestjs/common';
import type { Approvals } from '../../kernel/ports/approvals.js';
import { APPROVALS } from '../../kernel/ports/approvals.js';
import type { UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { UNIT_OF_WORK } from '../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../kernel/time.js';
import { CLOCK } from '../../kernel/time.js';
import { ApprovalsModule } from '../approvals/index.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import type { DealerDirectory, PolicyVersions } from '../tenancy/index.js';
import { DEALER_DIRECTORY, POLICY_VERSIONS, TenancyModule } from '../tenancy/index.js';
import type { PolicyParts } from './app/policy-parts.js';
import { PublishPolicy } from './app/publish-policy.js';
import { ReadPolicies } from './app/read-policies.js';
import { WritePolicyDraft } from './app/write-policy-draft.js';
import { PoliciesController } from './http/policies.controller.js';
import { PolicyDraftsController } from './http/policy-drafts.controller.js';
import { PrismaPolicyDrafts } from './infra/prisma-policy-drafts.js';

const PARTS = Symbol('PolicyParts');
const useCase = <T>(type: new (parts: PolicyParts) => T) => ({
  provide: type,
  inject: [PARTS],
  useFactory: (parts: PolicyParts) => new type(parts),
});

/** The admin API of dealer policies. What is in force is part of the tenancy module, since every call needs it. */
@Module({
  imports: [ApprovalsModule, AuditModule, TenancyModule],
  controllers: [PolicyDraftsController, PoliciesController],
  providers: [
    {
      provide: PARTS,
      inject: [UNIT_OF_WORK, POLICY_VERSIONS, APPROVALS, DEALER_DIRECTORY, TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        versions: PolicyVersions,
        approvals: Approvals,
        directory: DealerDirectory,
        audit: TransactionalAudit,
        clock: Clock,
      ): PolicyParts => ({
        unitOfWork,
        drafts: new PrismaPolicyDrafts(),
        versions,
        approvals,
        directory,
        audit,
        clock,
      }),
    },
    useCase(WritePolicyDraft),
    useCase(PublishPolicy),
    useCase(ReadPolicies),
  ],
})
export class PolicyAdminModule {}
