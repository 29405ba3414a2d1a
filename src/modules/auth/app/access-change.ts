import type { ChangeHashes } from '../../../kernel/change-hashes.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';

/** What was done to whom: ids only. */
export interface AccessChange {
  readonly operation: string;
  readonly rooftopIds?: readonly string[];
  readonly resourceIds: readonly string[];
  /** Of what was changed, before and after. */
  readonly hashes?: ChangeHashes;
}

/** Records changes of who may come in, in the transaction that makes them. */
export class AccessChanges {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  record(tx: TenantTransaction, origin: ChangeOrigin, change: AccessChange): Promise<void> {
    return this.audit.recordInTransaction(tx, {
      ...origin,
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      operation: change.operation,
      profile: null,
      rooftopIds: change.rooftopIds ?? [],
      resourceIds: change.resourceIds,
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...change.hashes,
    });
  }
}
