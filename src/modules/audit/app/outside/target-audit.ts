import { changeHashes } from '../../../../kernel/change-hashes.js';
import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../../kernel/time.js';
import type { AuditTarget } from '../../domain/audit-target.js';
import type { ChangeOrigin, TransactionalAudit } from '../transactional-audit.js';

/** Records what was done with targets. */
export class TargetAudit {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  changed(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    operation: string,
    before: AuditTarget | null,
    after: AuditTarget,
  ): Promise<void> {
    return this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      operation,
      profile: null,
      rooftopIds: [],
      resourceIds: [after.targetId],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...changeHashes(viewOf(before), viewOf(after)),
    });
  }
}

/** What staff decide about a target, without how deliveries go. The version stands for its secret. */
const viewOf = (target: AuditTarget | null): object | null => {
  if (target === null) return null;
  const { targetId, version, kind, address, witnessKey, timeZone, createdAt, revokedAt } = target;
  return { targetId, version, kind, address, witnessKey, timeZone, createdAt, revokedAt };
};
