import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { TransactionalAudit } from '../../audit/index.js';
import type { ChangeAudit, ChangeOrigin, InventoryChange } from '../app/change-audit.js';

/** Writes changes of this module to the audit trail. */
export class TransactionalChangeAudit implements ChangeAudit {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  async record(tx: TenantTransaction, origin: ChangeOrigin, change: InventoryChange): Promise<void> {
    await this.audit.recordInTransaction(tx, {
      eventId: origin.requestId,
      occurredAt: this.clock.now(),
      organizationId: tx.organizationId,
      traceId: origin.traceId,
      surface: origin.surface,
      operation: change.operation,
      profile: null,
      actorKind: origin.actorKind,
      actor: origin.actor,
      client: null,
      rooftopIds: change.rooftopIds ?? [],
      resourceIds: change.resourceIds,
      decision: 'allow',
      reason: change.reason ?? null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...change.hashes,
    });
  }
}
