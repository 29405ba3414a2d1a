import { changeHashes, type ChangeHashes } from '../../../kernel/change-hashes.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';

/** Records changes of who works here, in the transaction that makes them. Ids only: names are not for the trail. */
export class StaffChanges {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    operation: string,
    resourceIds: readonly string[],
    hashes: ChangeHashes = changeHashes(null, null),
  ): Promise<void> {
    return this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      operation,
      profile: null,
      rooftopIds: [],
      resourceIds,
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...hashes,
    });
  }
}
