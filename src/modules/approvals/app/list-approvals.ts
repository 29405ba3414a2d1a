import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ApprovalPage, ApprovalStore } from './approval-store.js';
import type { AssessApproval, AssessedApproval } from './assess-approval.js';

/** Use cases: what waits for people and what became of it. */
export class ListApprovals {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: ApprovalStore,
    private readonly assess: AssessApproval,
    private readonly clock: Clock,
  ) {}

  /** Newest first, each as it stands now. */
  list(organizationId: string, page: ApprovalPage): Promise<readonly AssessedApproval[]> {
    return this.unitOfWork.withTenant(organizationId, async (tx: TenantTransaction) => {
      const assessed: AssessedApproval[] = [];
      for (const approval of await this.store.list(tx, page, this.clock.now()))
        assessed.push(await this.assess.run(tx, approval));
      return assessed;
    });
  }

  /** @throws Failure `resource.not_found`. */
  get(organizationId: string, approvalId: string): Promise<AssessedApproval> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const approval = await this.store.find(tx, approvalId);
      if (approval === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      return this.assess.run(tx, approval);
    });
  }
}
