import type { ChangeHashes } from '../../../kernel/change-hashes.js';
import { newRequestId, PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';

/** What was done to whom: ids only. */
export interface PlatformChange {
  readonly operation: string;
  readonly rooftopIds?: readonly string[];
  readonly resourceIds: readonly string[];
  readonly hashes?: ChangeHashes;
}

/**
 * Records what concerns several organizations: each has it in its own trail. The record under the id of the request is that of
 * whoever asked; the others share its trace id.
 */
export class PlatformChanges {
  constructor(
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  /** By an operator: in the platform's trail, and in that of each organization. */
  async record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    organizationIds: readonly string[],
    change: PlatformChange,
  ): Promise<void> {
    await this.audit.recordBesides(tx, this.recordOf(PLATFORM_TENANT, origin, change));
    for (const organizationId of organizationIds)
      await this.audit.recordBesides(tx, this.recordOf(organizationId, { ...origin, eventId: newRequestId() }, change));
  }

  /** By an organization about itself. */
  async recordOwn(tx: TenantTransaction, origin: ChangeOrigin, change: PlatformChange): Promise<void> {
    await this.audit.recordInTransaction(tx, this.recordOf(tx.organizationId, origin, change));
  }

  private recordOf(
    organizationId: string,
    origin: ChangeOrigin,
    { operation, rooftopIds = [], resourceIds, hashes }: PlatformChange,
  ): AuditRecord {
    return {
      ...origin,
      ...hashes,
      occurredAt: this.clock.now(),
      organizationId,
      operation,
      profile: null,
      rooftopIds,
      resourceIds,
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
    };
  }
}
